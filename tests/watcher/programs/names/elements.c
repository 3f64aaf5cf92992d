// SPDX-License-Identifier: MIT
// Buffers that overlap in variables of all kinds: test_element_names.py.
#include <mpi.h>
#include <stdlib.h>

struct particle {
  int id;
  double x[3];
};

static double u[4][8];

// Each call uses a place of its own.
#define BOTH(SENT, COUNT, RECEIVED, OTHER_COUNT)                                                   \
  do {                                                                                             \
    MPI_Request requests[4];                                                                       \
    double data[8] = {0}, rest[8];                                                                 \
    MPI_Isend(SENT, COUNT, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &requests[0]);                         \
    MPI_Irecv(RECEIVED, OTHER_COUNT, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &requests[1]);               \
    MPI_Isend(data, OTHER_COUNT, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &requests[2]);                   \
    MPI_Irecv(rest, COUNT, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &requests[3]);                         \
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);                                                 \
  } while (0)

static void of_heap(void) {
  double *heap = calloc(16, sizeof *heap);
  BOTH(heap, 8, heap + 5, 2);
  free(heap);
}

// The part of a rank in the buffer of a v call.
static void of_parts(void) {
  MPI_Request requests[2];
  int count = 2, displacement = 18;
  double data[2] = {0}, rest[8];
  MPI_Isend(u[2], 8, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Gatherv(data, 2, MPI_DOUBLE, u, &count, &displacement, MPI_DOUBLE, 0, MPI_COMM_SELF);
  MPI_Irecv(rest, 8, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
  struct particle particles[6] = {{0}};
  MPI_Init(&argc, &argv);
  BOTH(&u[1][4], 4, &u[1][6], 4);
  BOTH(particles[3].x, 3, &particles[3].x[1], 1);
  of_heap();
  of_parts();
  MPI_Finalize();
  return 0;
}
