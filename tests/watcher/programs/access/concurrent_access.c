// SPDX-License-Identifier: MIT
// The first thread is in the call that completes operations, where call_gate.c holds it. Another
// thread uses their buffers: an error. After the call this is correct. Two processes, the second of
// which only has a window.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { N = 4096, FEW = 4 };

extern volatile int held_times;
void held_hold(void), held_release(void);

static _Alignas(4096) double out[N], started[N], in[N], put[N], window[N];
static double few[FEW], some[FEW], *volatile at; // GCC checks accesses by a pointer
static volatile double sink;
static void (*volatile use)(void);
static MPI_Request request;

static void stores(void) {
  out[100] = 1;
}

static void stores_to_started(void) {
  started[101] = 1;
}

static void loads(void) {
  sink = in[102];
}

static void stores_to_put(void) {
  put[103] = 1;
}

static void stores_with_request(void) {
  put[104] = 1;
}

static void stores_to_few(void) {
  at[1] = 1;
}

static void all(void) {
  at = few;
  stores();
  stores_to_started();
  loads();
  stores_to_put();
  stores_with_request();
  stores_to_few();
}

static void *other(void *nothing) {
  for (int times = 0;; times++) {
    while (held_times == times && use != all) continue;
    if (use == all) return nothing;
    use();
    held_release();
  }
}

static void awaits(void (*with)(void)) {
  use = with;
  held_hold();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void flushes(MPI_Win win, void (*with)(void)) {
  use = with;
  held_hold();
  MPI_Win_flush(0, win);
}

static void receives(int count) {
  MPI_Recv(in, count, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void sends(void) {
  MPI_Isend(out, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
  receives(N);
  awaits(stores);
}

static void starts(void) {
  MPI_Send_init(started, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
  for (int round = 0; round < 3; round++) {
    MPI_Start(&request);
    receives(N);
    if (round == 1)
      awaits(stores_to_started);
    else
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    started[101] = 2;
  }
  MPI_Request_free(&request);
}

static void is_received(void) {
  MPI_Irecv(in, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
  MPI_Send(out, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF);
  awaits(loads);
}

static void is_small(void) {
  at = few;
  MPI_Isend(few, FEW, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
  receives(FEW);
  awaits(stores_to_few);
}

static void puts_there(MPI_Win win) {
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Put(put, N, MPI_DOUBLE, 0, 0, N, MPI_DOUBLE, win);
  flushes(win, stores_to_put);
  MPI_Rput(put, N, MPI_DOUBLE, 0, 0, N, MPI_DOUBLE, win, &request);
  flushes(win, stores_with_request);
  put[104] = 2; // the flush has completed it
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  at = some;
  MPI_Rput(some, FEW, MPI_DOUBLE, 0, 0, FEW, MPI_DOUBLE, win, &request);
  at[2] = 9;
  MPI_Win_flush(0, win);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock(0, win);
}

int main(int argc, char **argv) {
  int provided, rank;
  pthread_t thread;
  MPI_Win win;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(window, sizeof window, sizeof *window, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  if (rank == 0) {
    use = stores;
    pthread_create(&thread, NULL, other, NULL);
    sends();
    starts();
    is_received();
    is_small();
    puts_there(win);
    use = all;
    pthread_join(thread, NULL);
    all();
    fputs("done\n", stdout);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
