// SPDX-License-Identifier: MIT
// A column of a matrix is received, and another sent; with an argument both are used too early:
// what a comment with a colon has is expected of its line, where there is none, nothing.
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
  in[9] = 1; // not of the column
  MPI_Isend(out, 1, column, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
  if (wrong) out[12] = 1;
  out[13] = 1;
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  printf("%g\n", wrong ? 0 : in[8]);
  MPI_Type_free(&column);
  MPI_Finalize();
  free(in);
  return 0;
}
