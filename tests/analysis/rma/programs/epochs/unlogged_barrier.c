// SPDX-License-Identifier: MIT
// Rank 0 frees a window that it has locked (with an argument: exposed), after a barrier. Only its
// own log has the barrier: rank 1 calls it in a callback, whose calls are not recorded. MPI ends
// the processes in MPI_Win_free. Two processes.
#include <mpi.h>
#include <stddef.h>

static int meet(MPI_Comm comm, int key, void *value, void *state) {
  (void)comm, (void)key, (void)value, (void)state;
  return MPI_Barrier(MPI_COMM_WORLD);
}

static void meet_unrecorded(void) {
  int key;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, meet, &key, NULL);
  MPI_Comm_set_attr(comm, key, &key);
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&key);
}

static void expose(MPI_Win window) {
  MPI_Group all, other;
  MPI_Win_get_group(window, &all);
  MPI_Group_incl(all, 1, (int[]){1}, &other);
  MPI_Win_post(other, 0, window);
  MPI_Group_free(&other);
  MPI_Group_free(&all);
}

static void use(MPI_Win window) {
  int value = 1;
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
  MPI_Put(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, window);
  MPI_Win_flush(1, window);
}

int main(int argc, char **argv) {
  int rank, *memory;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  if (rank == 0) {
    argc > 1 ? expose(window) : use(window);
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    meet_unrecorded();
  }
  MPI_Win_free(&window);
  MPI_Finalize();
}
