// SPDX-License-Identifier: MIT
// Objects for a debugger to show in done(): 10^5 datatypes, a datatype made of all of them, and a
// pending receive of 10^6 elements.
#include <mpi.h>

enum { TYPES = 100000, ELEMENTS = 1000000 };

static double memory[2 * ELEMENTS], *buffer = memory;
static MPI_Datatype types[TYPES];
static int blocklengths[TYPES];
static MPI_Aint offsets[TYPES];

static void done(void) {}

int main(int argc, char **argv) {
  MPI_Datatype vec, nested;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 2 * ELEMENTS; i++) memory[i] = i * 0.5;
  for (int i = 0; i < TYPES; i++) MPI_Type_vector(3, 2, 4 + i, MPI_DOUBLE, &types[i]);
  for (int i = 0; i < TYPES; i++) {
    blocklengths[i] = 1 + i % 3;
    offsets[i] = i * (MPI_Aint)8000000;
  }
  MPI_Type_create_struct(TYPES, blocklengths, offsets, types, &nested);
  MPI_Type_vector(ELEMENTS, 1, 2, MPI_DOUBLE, &vec);
  MPI_Type_commit(&vec);
  MPI_Irecv(memory, 1, vec, 0, 0, MPI_COMM_SELF, &request);
  done();
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  (void)nested;
  MPI_Finalize();
  return 0;
}
