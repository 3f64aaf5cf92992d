// SPDX-License-Identifier: MIT
// Transpose with MPI_Alltoall: Fourier transforms of a matrix's rows, then of its columns, which
// the transpose has made rows. Every second iteration computes the inverse.
#include "kernel.h"

#include <complex.h>

enum { N = 128 }; // rows and columns; a multiple of the number of processes

static const double PI = 3.14159265358979323846;
static complex double *matrix, *turned, *roots;
static MPI_Datatype column, sent; // one column of a block; all its columns, one after the other

static void prepare(void) {
  int rows = N / size;
  MPI_Datatype wide;
  MPI_Type_vector(rows, 1, N, MPI_C_DOUBLE_COMPLEX, &wide);
  MPI_Type_create_resized(wide, 0, sizeof *matrix, &column);
  MPI_Type_free(&wide);
  MPI_Type_contiguous(rows, column, &wide);
  MPI_Type_create_resized(wide, 0, rows * (MPI_Aint)sizeof *matrix, &sent);
  MPI_Type_commit(&sent);
  MPI_Type_free(&wide);
  matrix = zeros((size_t)rows * N, sizeof *matrix);
  turned = zeros((size_t)rows * N, sizeof *turned);
  roots = zeros(N, sizeof *roots);
  for (int i = 0; i < N; i++) roots[i] = cexp(-2 * PI * I * i / N);
  for (int i = 0; i < rows * N; i++) matrix[i] = number((unsigned long)(rank * rows * N + i));
}

// Transforms a row in place. The inverse has conjugate roots, and the factor 1/N.
static void transform(complex double *row, int inverse) {
  for (int i = 1, j = 0; i < N; i++) {
    int bit = N >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    complex double kept = row[i];
    row[i] = row[j];
    row[j] = kept;
  }
  for (int half = 1; half < N; half *= 2)
    for (int start = 0; start < N; start += 2 * half)
      for (int i = 0; i < half; i++) {
        complex double root = roots[i * (N / (2 * half))], low = row[start + i];
        complex double high = row[start + half + i] * (inverse ? conj(root) : root);
        row[start + i] = low + high;
        row[start + half + i] = low - high;
      }
  for (int i = 0; inverse && i < N; i++) row[i] /= N;
}

static void transpose(void) {
  int rows = N / size;
  // Each process sends a block's columns, which are received as rows of the transposed block.
  MPI_Alltoall(matrix, 1, sent, turned, rows * rows, MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD);
  for (int block = 0; block < size; block++)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < rows; j++)
        matrix[i * N + block * rows + j] = turned[(block * rows + i) * rows + j];
}

static double iterate(int iterations) {
  int rows = N / size;
  for (int n = 0; n < iterations; n++) {
    int inverse = n & 1;
    for (int i = 0; i < rows; i++) transform(matrix + (size_t)i * N, inverse);
    transpose();
    for (int i = 0; i < rows; i++) transform(matrix + (size_t)i * N, inverse);
    transpose();
  }
  double sum = 0;
  for (int i = 0; i < rows * N; i++) sum += creal(matrix[i]);
  return sum;
}

static void clean_up(void) {
  MPI_Type_free(&sent);
  MPI_Type_free(&column);
  free(matrix);
  free(turned);
  free(roots);
}
