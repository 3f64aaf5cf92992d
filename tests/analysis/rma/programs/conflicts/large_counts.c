// SPDX-License-Identifier: MIT
// One-sided operations with large counts, each before a put to the same memory; with an argument,
// the two are not ordered. Two processes.
#include <mpi.h>
#include <stdio.h>

enum { FORMS = 8, N = 64 };
static MPI_Win win;
static int out[2] = {3, 4}, in[FORMS][2], later = 100;

// Begins an operation on two elements, and returns its request, if any.
static MPI_Request begin(int form, int at) {
  const MPI_Count two = 2;
  MPI_Request request = MPI_REQUEST_NULL;
  switch (form) {
  case 0:
    MPI_Put_c(out, two, MPI_INT, 1, at, two, MPI_INT, win);
    break;
  case 1:
    MPI_Get_c(in[form], two, MPI_INT, 1, at, two, MPI_INT, win);
    break;
  case 2:
    MPI_Accumulate_c(out, two, MPI_INT, 1, at, two, MPI_INT, MPI_SUM, win);
    break;
  case 3:
    MPI_Get_accumulate_c(out, two, MPI_INT, in[form], two, MPI_INT, 1, at, two, MPI_INT, MPI_SUM,
                         win);
    break;
  case 4:
    MPI_Rput_c(out, two, MPI_INT, 1, at, two, MPI_INT, win, &request);
    break;
  case 5:
    MPI_Rget_c(in[form], two, MPI_INT, 1, at, two, MPI_INT, win, &request);
    break;
  case 6:
    MPI_Raccumulate_c(out, two, MPI_INT, 1, at, two, MPI_INT, MPI_SUM, win, &request);
    break;
  default:
    MPI_Rget_accumulate_c(out, two, MPI_INT, in[form], two, MPI_INT, 1, at, two, MPI_INT, MPI_SUM,
                          win, &request);
  }
  return request;
}

int main(int argc, char **argv) {
  int rank, *memory, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &win);
  for (int i = 0; i < N; i++) memory[i] = 1;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  for (int form = 0; form < FORMS && rank == 0; form++) {
    MPI_Request request = begin(form, 4 * form);
    if (argc == 1) MPI_Win_flush(1, win);
    MPI_Put(&later, 1, MPI_INT, 1, 4 * form + 1, 1, MPI_INT, win);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < N && rank == 1; i++) sum += memory[i];
  for (int form = 0; form < FORMS; form++) sum += in[form][0] + 10 * in[form][1];
  printf("rank %d: %d\n", rank, sum);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
