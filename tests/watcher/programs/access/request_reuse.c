// SPDX-License-Identifier: MIT
// Correct: a thread tests a receive whose handle belonged to an earlier receive. A second thread
// has just waited for that one; call_gate.c holds it between MPI and the wrapper.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { INTEGERS = 16 };

extern volatile int held_times;
void held_hold(void), held_release(void);

static int first[INTEGERS], second[INTEGERS], sent[2][INTEGERS];
static MPI_Request waited;

static void *wait(void *nothing) {
  held_hold();
  MPI_Wait(&waited, MPI_STATUS_IGNORE);
  return nothing;
}

int main(int argc, char **argv) {
  int provided, flag = 0;
  pthread_t other;
  MPI_Request asked, copy;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  for (int i = 0; i < INTEGERS; i++) {
    sent[0][i] = i;
    sent[1][i] = 100 + i;
  }
  MPI_Irecv(first, INTEGERS, MPI_INT, 0, 1, MPI_COMM_SELF, &waited);
  copy = waited;
  MPI_Send(sent[0], INTEGERS, MPI_INT, 0, 1, MPI_COMM_SELF);
  pthread_create(&other, NULL, wait, NULL);
  while (!held_times) continue;
  MPI_Irecv(second, INTEGERS, MPI_INT, 0, 2, MPI_COMM_SELF, &asked);
  int is_again = memcmp(&asked, &copy, sizeof asked) == 0;
  MPI_Send(sent[1], INTEGERS, MPI_INT, 0, 2, MPI_COMM_SELF);
  while (!flag) MPI_Request_get_status(asked, &flag, MPI_STATUS_IGNORE);
  printf("%s handle, %s\n", is_again ? "the same" : "another",
         memcmp(second, sent[1], sizeof second) == 0 ? "received" : "not received");
  held_release();
  pthread_join(other, NULL);
  MPI_Wait(&asked, MPI_STATUS_IGNORE);
  printf("%s, %s\n", memcmp(first, sent[0], sizeof first) == 0 ? "received" : "not received",
         memcmp(second, sent[1], sizeof second) == 0 ? "received" : "not received");
  MPI_Finalize();
}
