// One-sided operations to another process's window, in bounds: at another place each time, or at
// both ends of the window. At the end, with an argument, beyond it.
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 2000, LENGTH = 4096 };

int main(int argc, char **argv) {
  int rank, size;
  double *memory, value = 1, values[2] = {1, 2};
  MPI_Datatype ends;
  MPI_Win win, units;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int target = (rank + 1) % size, length = LENGTH * (target + 1);
  MPI_Win_allocate(LENGTH * (rank + 1) * sizeof *memory, sizeof *memory, MPI_INFO_NULL,
                   MPI_COMM_WORLD, &memory, &win);
  MPI_Win_create(memory, LENGTH, rank ? 1 : 8, MPI_INFO_NULL, MPI_COMM_WORLD, &units);
  MPI_Win_set_errhandler(units, MPI_ERRORS_RETURN); // some libraries report the error
  MPI_Type_vector(2, 1, length - 1, MPI_DOUBLE, &ends);
  MPI_Type_commit(&ends);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < ROUNDS; i++) {
    MPI_Put(&value, 1, MPI_DOUBLE, target, (i * 37 + i / 7) % length, 1, MPI_DOUBLE, win);
    MPI_Win_flush(target, win);
    if (i % 10 == 9) MPI_Put(values, 2, MPI_DOUBLE, target, 0, 1, ends, win);
    MPI_Win_flush(target, win);
  }
  MPI_Type_free(&ends);
  MPI_Put(&value, 1, MPI_DOUBLE, target, length - 1, 1, MPI_DOUBLE, win);
  MPI_Win_flush(target, win);
  MPI_Win_unlock_all(win);
  MPI_Win_fence(0, units);
  if (rank == 0)
    MPI_Put(&value, 1, MPI_DOUBLE, target, argc > 1 ? LENGTH - 7 : LENGTH - 8, 1, MPI_DOUBLE,
            units);
  MPI_Win_fence(0, units);
  MPI_Win_free(&units);
  for (int i = 1; i <= 50 && argc == 1; i++) { // soon forgotten
    MPI_Win_create(memory, i * sizeof *memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &units);
    MPI_Win_fence(0, units);
    MPI_Put(&value, 1, MPI_DOUBLE, target, i - 1, 1, MPI_DOUBLE, units);
    MPI_Win_fence(0, units);
    MPI_Win_free(&units);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
  fputs("done\n", stdout);
  return 0;
}
