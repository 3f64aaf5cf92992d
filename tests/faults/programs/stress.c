// SPDX-License-Identifier: MIT
// Four threads make, use and free datatypes and requests, `stress ROUNDS` times or until it is
// ended. The arguments of a call follow from each other, so the test notices a mixed record.
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { THREADS = 4, MOST = 12, KEPT = 6 };
int received[THREADS][MOST + 1][MOST], sent[THREADS][MOST + 1][MOST]; // n integers: [thread][n]
static MPI_Comm comms[THREADS];
static long rounds;

// A vector's stride and component follow from its count and blocklength.
static void make(int count, int blocklength, MPI_Datatype *made) {
  MPI_Datatype inner;
  MPI_Type_contiguous(100 * count + blocklength, MPI_INT, &inner);
  MPI_Type_vector(count, blocklength, 1000 * count + blocklength, inner, made);
  MPI_Type_free(&inner);
  if (count % 2) MPI_Type_commit(made);
}

static void communicate(int thread, int n) {
  MPI_Request pair[2], spare;
  MPI_Irecv(received[thread][n], n, MPI_INT, 0, 100 * thread + n, comms[thread], &pair[0]);
  MPI_Isend(sent[thread][n], n, MPI_INT, 0, 100 * thread + n, comms[thread], &pair[1]);
  MPI_Recv_init(received[thread][n], n, MPI_INT, 0, 100 * thread + n, comms[thread], &spare);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  MPI_Request_free(&spare);
}

static void ask(int thread) {
  MPI_Group group;
  MPI_Datatype kind;
  MPI_Comm_group(comms[thread % 2], &group); // of the same communicator in two threads
  MPI_Group_free(&group);
  MPI_Type_create_f90_real(6 + thread % 2, MPI_UNDEFINED, &kind);
}

static void *run(void *number) {
  int thread = (int)(intptr_t)number;
  MPI_Datatype kept[KEPT];
  for (int i = 0; i < KEPT; i++) make(1 + i, 1 + thread, &kept[i]);
  for (long round = 0; round != rounds; round++) {
    int i = (int)(round % KEPT);
    MPI_Type_free(&kept[i]);
    make(1 + (int)(round % MOST), 1 + (int)(round / 7 % MOST), &kept[i]);
    communicate(thread, 1 + (int)(round % MOST));
    ask(thread);
  }
  for (int i = 0; i < KEPT; i++) MPI_Type_free(&kept[i]);
  return NULL;
}

int main(int argc, char **argv) {
  int provided;
  pthread_t threads[THREADS];
  rounds = argc > 1 ? atol(argv[1]) : -1;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) return 74;
  for (int i = 0; i < THREADS; i++) MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
  for (intptr_t i = 1; i < THREADS; i++) pthread_create(&threads[i], NULL, run, (void *)i);
  run((void *)0);
  for (int i = 1; i < THREADS; i++) pthread_join(threads[i], NULL);
  MPI_Finalize();
  return 0;
}
