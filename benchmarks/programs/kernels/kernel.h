// SPDX-License-Identifier: MIT
// The main function of all kernels, which calls three functions that each kernel defines. Usage:
// KERNEL ITERATIONS. It prints the seconds of the slowest process, and a checksum.
#ifndef KERNEL_H
#define KERNEL_H

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size; // in MPI_COMM_WORLD

static void prepare(void);
// One process's part of the checksum, which depends only on the number of iterations.
static double iterate(int iterations);
static void clean_up(void);

static void *zeros(size_t count, size_t bytes) {
  void *made = calloc(count, bytes);
  if (!made) MPI_Abort(MPI_COMM_WORLD, 1);
  return made;
}

// Numbers between 0 and 1, which are the same in all processes and runs.
static inline double number(unsigned long index) {
  unsigned long x = index * 0x9e3779b97f4a7c15ul;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ul;
  return (double)(x >> 11) / (double)(1ul << 53);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  prepare();
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime(), part = iterate(argc > 1 ? atoi(argv[1]) : 100);
  double seconds = MPI_Wtime() - start, slowest, sum;
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.6f %.9g\n", slowest, sum);
  clean_up();
  MPI_Finalize();
  return 0;
}

#endif
