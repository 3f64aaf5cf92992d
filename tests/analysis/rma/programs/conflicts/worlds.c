// SPDX-License-Identifier: MIT
// One-sided operations of two processes. They have spawned a third, which receives a message from
// one and sends one to the other. With "right", messages between the two repeat every order that
// the messages of the other world may give.
#include <mpi.h>
#include <stdio.h>

static int rank, right, value, *memory;
static MPI_Win window;

// A macro, so that findings show the line that uses it.
#define ACCESS(CALL)                                                                               \
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);                                                     \
  CALL(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);                                              \
  MPI_Win_unlock(0, window)

// Two puts as a data race.
static void puts_of_two(void) {
  if (rank == 0 || !right) {
    ACCESS(MPI_Put);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// Only the messages of the other world put the first access before the second.
static void by_a_child(MPI_Comm child) {
  if (rank == 0) {
    ACCESS(MPI_Put);
    MPI_Send(&value, 1, MPI_INT, 0, 0, child);
    if (right) MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, 0, 0, child, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (right) MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ACCESS(MPI_Get);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// The message is sent before the put, and later queries no longer order the put and the get.
static void told_before(MPI_Comm child) {
  int size;
  if (rank == 0) {
    MPI_Send(&value, 1, MPI_INT, 0, 0, child);
    if (!right) {
      ACCESS(MPI_Put);
      MPI_Comm_remote_size(child, &size);
    }
  } else {
    MPI_Recv(&value, 1, MPI_INT, 0, 0, child, MPI_STATUS_IGNORE);
    ACCESS(MPI_Get);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void of_child(MPI_Comm parents) {
  for (int i = 0; i < 2; i++) {
    MPI_Recv(&value, 1, MPI_INT, 0, 0, parents, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 1, 0, parents);
  }
}

int main(int argc, char **argv) {
  MPI_Comm other, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&other);
  int is_child = other != MPI_COMM_NULL;
  right = argc > 1;
  if (is_child) {
    of_child(other);
  } else {
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                   MPI_ERRCODES_IGNORE);
    puts_of_two();
    by_a_child(other);
    told_before(other);
    MPI_Win_free(&window);
  }
  MPI_Intercomm_merge(other, is_child, &all);
  MPI_Bcast(&value, 1, MPI_INT, 0, all);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&other);
  if (!is_child && rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
