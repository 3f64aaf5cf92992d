// SPDX-License-Identifier: MIT
// Kinds of operations that guarded.c lacks, with allowed accesses to their buffers. With an
// argument also errors, in lines with a comment: access, element, operation. Two processes.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "planted.h"

enum { N = 4096, ROOM = 3 * N };

static _Alignas(4096) double memory[2][ROOM];
static double *const out = memory[0] + 3, *const in = memory[1] + 5; // with bytes before a page
static MPI_Request request;

static void fill(void) {
  for (int i = 0; i < ROOM; i++) {
    memory[0][i] = rank * 100000 + i;
    memory[1][i] = -i;
  }
}

static void check(const double *at, int count, double first) {
  for (int i = 0; i < count; i++) NEED(at[i] == first + i || (wrong && at[i] == 7));
  NEED(memory[1][0] == 0 && memory[1][ROOM - 1] == -(ROOM - 1));
}

static void done(void) {
  memory[0][1] = memory[1][1] = memory[1][ROOM - 2] = -1; // the memory beside the buffers
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  in[N / 2] = in[N / 2] + 0;
  out[N / 2] = out[N / 2] + 0;
}

static double from(int process) {
  return process * 100000 + 3;
}

static void modes(void) {
  static char buffered[N * sizeof(double) + MPI_BSEND_OVERHEAD];
  MPI_Request received, made;
  MPI_Status status;
  int index = -1, size;
  void *buffer;
  fill();
  MPI_Irecv(in, N, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &received);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Irsend(out, N, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &request);
  store(&out[1001]); // store buf[1001](DOUBLE) MPI_Irsend
  MPI_Wait(&received, MPI_STATUS_IGNORE);
  done();
  MPI_Recv_init(in, N, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &received);
  MPI_Rsend_init(out, N, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &made);
  fill();
  MPI_Start(&received);
  load(&in[1002]); // load buf[1002](DOUBLE) MPI_Recv_init
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Start(&made);
  store(&out[1003]); // store buf[1003](DOUBLE) MPI_Rsend_init
  MPI_Waitany(1, &received, &index, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &size);
  NEED(index == 0 && status.MPI_SOURCE == other && size == N);
  MPI_Waitany(1, &made, &index, MPI_STATUS_IGNORE);
  NEED(index == 0);
  check(in, N, from(other));
  MPI_Request_free(&made);
  MPI_Buffer_attach(buffered, sizeof buffered);
  MPI_Bsend_init(out, N, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &made);
  fill();
  MPI_Startall(1, &made);
  store(&out[1004]); // store buf[1004](DOUBLE) MPI_Bsend_init
  MPI_Start(&received);
  MPI_Wait(&received, MPI_STATUS_IGNORE);
  MPI_Waitany(1, &made, &index, MPI_STATUS_IGNORE);
  NEED(index == 0);
  check(in, N, from(other));
  MPI_Buffer_detach(&buffer, &size);
  MPI_Request_free(&made);
  MPI_Request_free(&received);
}

// A reduction in place reads all data from the buffer that gets its result.
static void in_place(void) {
  int counts[2] = {N, N};
  fill();
  MPI_Ireduce_scatter(MPI_IN_PLACE, in, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  store(&in[N + 1005]); // store recvbuf[5101](DOUBLE) MPI_Ireduce_scatter
  done();
  NEED(in[10] == 2 * -(15 + N * rank));
  fill();
  MPI_Ireduce_scatter_block(MPI_IN_PLACE, in, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  load(&in[1006]); // load recvbuf[1006](DOUBLE) MPI_Ireduce_scatter_block
  done();
  NEED(in[10] == 2 * -(15 + N * rank));
}

static void neighbors(void) {
  MPI_Comm ring;
  int two = 2, closed = 1, counts[2] = {N, N}, places[2] = {0, N};
  MPI_Cart_create(MPI_COMM_WORLD, 1, &two, &closed, 0, &ring);
  fill();
  MPI_Ineighbor_allgatherv(out, N, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, ring, &request);
  load(&in[1007]); // load recvbuf[1007](DOUBLE) of neighbor 0 MPI_Ineighbor_allgatherv
  done();
  check(in + N, N, from(other));
  MPI_Comm_free(&ring);
}

static void one_sided(void) {
  static double window[N], values[3];
  MPI_Win win;
  memset(window, 0, sizeof window);
  MPI_Win_create(window, sizeof window, sizeof *window, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock_all(0, win);
  fill();
  MPI_Raccumulate(out, N, MPI_DOUBLE, other, 0, N, MPI_DOUBLE, MPI_SUM, win, &request);
  store(&out[1008]); // store origin_addr[1008](DOUBLE) MPI_Raccumulate
  done();
  MPI_Win_flush(other, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Rget_accumulate(out, N, MPI_DOUBLE, in, N, MPI_DOUBLE, other, 0, N, MPI_DOUBLE, MPI_REPLACE,
                      win, &request);
  load(&in[1009]); // load result_addr[1009](DOUBLE) MPI_Rget_accumulate
  done();
  check(in, N, from(rank));
  MPI_Win_flush(other, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Fetch_and_op(&values[0], &values[1], MPI_DOUBLE, other, 0, MPI_SUM, win);
  store(&values[0]); // change origin_addr(DOUBLE) MPI_Fetch_and_op
  MPI_Win_flush(other, win);
  NEED(values[1] == from(rank));
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Win_create(window, sizeof window, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock_all(0, win);
  int *numbers = (int *)values;
  memset(values, 0, sizeof values);
  MPI_Compare_and_swap(&numbers[0], &numbers[1], &numbers[2], MPI_INT, other, 0, win);
  if (wrong && rank == 0) numbers[1] = 9; // change compare_addr(INT) MPI_Compare_and_swap
  MPI_Win_flush(other, win);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

#if MPI_VERSION >= 4
static void again(MPI_Request *made, double *loaded, double *stored) {
  for (int round = 0; round < 2; round++) {
    fill();
    MPI_Start(made);
    if (round && loaded) load(loaded);
    if (round && stored) store(stored);
    MPI_Wait(made, MPI_STATUS_IGNORE);
    in[N / 2] = in[N / 2] + 0;
    out[N / 2] = out[N / 2] + 0;
  }
  MPI_Request_free(made);
}

static void of_mpi_4(void) {
  int counts[2] = {N, N}, places[2] = {0, N};
  MPI_Count large[2] = {N, N};
  MPI_Aint distances[2] = {0, N};
  MPI_Bcast_init(rank ? in : out, N, MPI_DOUBLE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  again(&request, NULL, &out[1010]); // store buffer[1010](DOUBLE) MPI_Bcast_init
  if (rank) check(in, N, from(0));
  MPI_Alltoallv_init(out, counts, places, MPI_DOUBLE, in, counts, places, MPI_DOUBLE,
                     MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  again(&request, &in[1011], NULL); // load recvbuf[1011](DOUBLE) of rank 0 MPI_Alltoallv_init
  check(in + other * N, N, from(other) + rank * N);
  MPI_Reduce_scatter_init(MPI_IN_PLACE, in, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                          MPI_INFO_NULL, &request);
  again(&request, &in[1012], NULL); // load recvbuf[1012](DOUBLE) MPI_Reduce_scatter_init
  NEED(in[10] == 2 * -(15 + N * rank));
  fill();
  MPI_Ibcast_c(rank ? in : out, N, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
  store(&out[1013]); // store buffer[1013](DOUBLE) MPI_Ibcast_c
  done();
  fill();
  MPI_Iallgatherv_c(out, N, MPI_DOUBLE, in, large, distances, MPI_DOUBLE, MPI_COMM_WORLD, &request);
  load(&in[N + 1014]); // load recvbuf[1014](DOUBLE) of rank 1 MPI_Iallgatherv_c
  done();
  check(in + other * N, N, from(other));
}
#else
static void of_mpi_4(void) {}
#endif

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  wrong = argc > 1;
  modes();
  in_place();
  neighbors();
  one_sided();
  of_mpi_4();
  MPI_Finalize();
  if (rank == 0) fputs("done\n", stdout);
  return 0;
}
