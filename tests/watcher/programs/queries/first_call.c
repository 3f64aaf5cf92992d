// SPDX-License-Identifier: MIT
// A second thread calls MPI for the first time, while the first thread is inside a call. "freed":
// the first thread has freed a receive request before, and frees another when both have called.
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static int wrong, added[8], data[8], apart[4], sent[4];
static atomic_int is_inside, is_done;

static void add(void *in, void *inout, int *length, MPI_Datatype *type) {
  (void)in, (void)inout, (void)length, (void)type;
  is_inside = 1;
  while (!is_done) continue;
}

static void *other(void *argument) {
  MPI_Request request;
  while (!is_inside) continue;
  MPI_Irecv(wrong ? data + 4 : apart, 4, MPI_INT, 0, 9, MPI_COMM_SELF, &request);
  is_done = 1;
  MPI_Send(sent, 4, MPI_INT, 0, 9, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return argument;
}

#define FREE_PENDING()                                                                             \
  do {                                                                                             \
    MPI_Irecv(apart, 4, MPI_INT, 0, 8, MPI_COMM_SELF, &request);                                   \
    MPI_Request_free(&request);                                                                    \
    MPI_Send(sent, 4, MPI_INT, 0, 8, MPI_COMM_SELF);                                               \
  } while (0)

int main(int argc, char **argv) {
  int provided;
  pthread_t thread;
  MPI_Op op;
  MPI_Request request;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  wrong = argc > 1 && strcmp(argv[1], "wrong") == 0;
  const int frees = argc > 1 && strcmp(argv[1], "freed") == 0;
  if (frees) FREE_PENDING();
  pthread_create(&thread, NULL, other, NULL);
  MPI_Op_create(add, 1, &op);
  MPI_Reduce_local(added, data, 8, MPI_INT, op);
  pthread_join(thread, NULL);
  if (frees) FREE_PENDING();
  MPI_Op_free(&op);
  MPI_Finalize();
}
