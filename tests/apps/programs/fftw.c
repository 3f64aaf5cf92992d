// SPDX-License-Identifier: MIT
// A distributed transform of two dimensions, there and back, in place and transposed.
#include <complex.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>

enum { ROWS = 96, COLUMNS = 80 };

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  ptrdiff_t rows, first;
  ptrdiff_t room = fftw_mpi_local_size_2d(ROWS, COLUMNS, MPI_COMM_WORLD, &rows, &first);
  fftw_complex *data = fftw_alloc_complex((size_t)room);
  unsigned there = FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT;
  unsigned back = FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_IN;
  fftw_plan forward =
      fftw_mpi_plan_dft_2d(ROWS, COLUMNS, data, data, MPI_COMM_WORLD, FFTW_FORWARD, there);
  fftw_plan backward =
      fftw_mpi_plan_dft_2d(ROWS, COLUMNS, data, data, MPI_COMM_WORLD, FFTW_BACKWARD, back);
  for (ptrdiff_t i = 0; i < rows * COLUMNS; i++) data[i] = (double)((first * COLUMNS + i) % 11);
  for (int turn = 0; turn < 3; turn++) {
    fftw_execute(forward);
    fftw_execute(backward);
    for (ptrdiff_t i = 0; i < rows * COLUMNS; i++) data[i] /= ROWS * COLUMNS;
  }
  double worst = 0, all = 0;
  for (ptrdiff_t i = 0; i < rows * COLUMNS; i++)
    worst = fmax(worst, cabs(data[i] - (double)((first * COLUMNS + i) % 11)));
  MPI_Reduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!rank) printf("%s\n", all < 1e-10 ? "the same" : "not the same");
  fftw_destroy_plan(forward);
  fftw_destroy_plan(backward);
  fftw_free(data);
  fftw_mpi_cleanup();
  MPI_Finalize();
  return 0;
}
