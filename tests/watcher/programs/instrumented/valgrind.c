// SPDX-License-Identifier: MIT
// Receives, sends, puts and gets columns of a matrix. With an argument the program uses all too
// early. A comment that begins with a colon is the expected report for its line; other lines have
// none.
#include <emmintrin.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile double sum;

static void *loads(void *in) {
  sum += ((double *)in)[20]; //: Invalid read of size 8
  return NULL;
}

static void uses(double *in) {
  char *bytes = (char *)in, copy[8];
  pthread_t thread;
  sum += bytes[0];   //: Invalid read of size 1
  sum += bytes[295]; //: Invalid read of size 1
  sum += in[8];      //: Invalid read of size 8
  sum += bytes[8] + bytes[31];
  sum += *(uint32_t *)(void *)(bytes + 29) % 2; //: Invalid read of size 4
  memcpy(copy, in + 12, sizeof copy);           //: Invalid read of size 8
  sum += _mm_cvtsd_f64(_mm_loadu_pd(in + 15));  //: Invalid read of size 16
  uint64_t *word = (uint64_t *)(void *)(in + 24);
  __atomic_fetch_add(word, 0, __ATOMIC_SEQ_CST); //: Invalid read of size 8
  bytes[256] = 1;                                //: Invalid write of size 1
  pthread_create(&thread, NULL, loads, in);
  pthread_join(thread, NULL);
}

// Puts and gets columns in a window of 40 numbers.
static double put_and_got(double *out, double *in, int other, MPI_Datatype column, int wrong) {
  double *memory;
  MPI_Win win;
  MPI_Win_allocate(320, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < 40; i++) memory[i] = 0;
  MPI_Win_fence(0, win);
  MPI_Put(out, 1, column, other, 0, 1, column, win);
  MPI_Get(in, 1, column, other, 1, 1, column, win);
  if (wrong) out[16] = 1;
  if (wrong) sum += in[12]; //: Invalid read of size 8
  out[17] = 1;
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_free(&win);
  return in[12];
}

int main(int argc, char **argv) {
  int rank, wrong = argc > 1;
  double *in = calloc(40, sizeof *in), out[40] = {0};
  MPI_Request requests[2];
  MPI_Datatype column;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(10, 1, 4, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Irecv(in, 1, column, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
  if (wrong) uses(in);
  in[9] = 1;                   // this element is not in the column
  MPI_Barrier(MPI_COMM_WORLD); // both make the next errors within moments: one report
  MPI_Isend(out, 1, column, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
  if (wrong) out[12] = 1;
  out[13] = 1;
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  double got = put_and_got(out, in, 1 - rank, column, wrong);
  printf("%g\n", wrong ? 0 : in[8] + got);
  MPI_Type_free(&column);
  MPI_Finalize();
  free(in);
  return 0;
}
