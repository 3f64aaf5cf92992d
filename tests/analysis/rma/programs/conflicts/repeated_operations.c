// SPDX-License-Identifier: MIT
// One place in the program makes correct operations many times, and then a wrong one, which the
// argument selects. Two processes.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { N = 64, TURNS = 2000 };
static int memory[3 * N], ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, results[8];
static MPI_Win window;

static void open_window(int rank, int cells) {
  // Rank 0's window is half as large.
  MPI_Win_create(memory + N, (MPI_Aint)(cells / (2 - rank) * (int)sizeof(int)), sizeof(int),
                 MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  MPI_Win_lock_all(0, window);
}

static void close_window(void) {
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

static void fetch(int *into, int count, int target, int place) {
  MPI_Get_accumulate(ones, count, MPI_INT, into, count, MPI_INT, target, place, count, MPI_INT,
                     MPI_SUM, window);
  MPI_Win_flush(target, window);
}

int main(int argc, char **argv) {
  int rank, is_of_one;
  const char *how = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  open_window(rank, N);
  is_of_one = rank == 0;
  for (int turn = 0; is_of_one && turn < TURNS; turn++) {
    fetch(results, 1, 1, turn * 7 % N);
    fetch(results, 1, 0, turn * 7 % (N / 2));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (!strcmp(how, "smaller")) {
    close_window();
    open_window(rank, N / 2);
  }
  if (is_of_one && !strcmp(how, "smaller")) fetch(results, 1, 1, N - 1);
  if (is_of_one && !strcmp(how, "beyond")) fetch(results, 1, 1, N);
  if (is_of_one && !strcmp(how, "before")) fetch(results, 1, 1, -1);
  if (is_of_one && !strcmp(how, "many")) fetch(results, 4, 1, N - 2);
  if (is_of_one && !strcmp(how, "other")) fetch(results, 1, 0, N / 2);
  if (is_of_one && !strcmp(how, "result")) fetch(ones, 1, 1, 0);
  close_window();
  if (rank == 0) fputs("done\n", stdout);
  MPI_Finalize();
  return 0;
}
