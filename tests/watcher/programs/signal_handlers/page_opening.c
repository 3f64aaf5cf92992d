// SPDX-License-Identifier: MIT
// The pages of a completed operation are opened one after the other. Meanwhile another thread
// stores to them, beginning with the last one. One process.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { BLOCKS = 512, BLOCK = 8192, TIMES = 40, STEP = 3000 };

static _Alignas(4096) char all[BLOCKS][2][BLOCK], in[BLOCKS][BLOCK];
static volatile int sent, stored;

static void *store(void *nothing) {
  for (int time = 0; time < TIMES; time++) {
    while (sent <= time) continue;
    for (volatile int i = 0; i < time * STEP; i++) continue;
    for (int i = BLOCKS - 1; i >= 0; i--) all[i][0][BLOCK / 2]++;
    stored = time + 1;
  }
  return nothing;
}

int main(int argc, char **argv) {
  MPI_Datatype blocks;
  MPI_Request request;
  pthread_t thread;
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Type_vector(BLOCKS, BLOCK, 2 * BLOCK, MPI_CHAR, &blocks);
  MPI_Type_commit(&blocks);
  pthread_create(&thread, NULL, store, NULL);
  for (int time = 0; time < TIMES; time++) {
    MPI_Isend(all, 1, blocks, 0, 0, MPI_COMM_SELF, &request);
    MPI_Recv(in, sizeof in, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    sent = time + 1;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    while (stored <= time) continue;
  }
  pthread_join(thread, NULL);
  MPI_Type_free(&blocks);
  fputs("done\n", stdout);
  MPI_Finalize();
  return 0;
}
