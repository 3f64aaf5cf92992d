// SPDX-License-Identifier: MIT
// Places with wrong types of variables: the number that mpipp checks, and one more. The calls are
// marked as in mistakes.c: they do not reach MPI.
#include <dlfcn.h>
#include <mpi.h>

// The macro is redefined for this file, because the test reads the strings.
#define OVER(what, call) (*next = "not everything was checked: " what, (void)(call))
#define WITHIN(call) (*next = "", (void)(call))

enum { PLACES = 64 };

static const char *volatile *next;
static int integers[4 * (PLACES + 1)];

// Each call has its own datatype, because a place is the use of a datatype.
static void places(void) {
  MPI_Request pending[PLACES + 1];
  MPI_Datatype types[PLACES + 1];
  for (int i = 0; i <= PLACES; i++) {
    MPI_Type_vector(2, 1, 2 - i % 2, MPI_INT, &types[i]);
    MPI_Type_commit(&types[i]);
    MPI_Irecv(&integers[4 * i], 1, types[i], 0, i, MPI_COMM_SELF, &pending[i]);
    if (i == PLACES - 1) WITHIN(MPI_Barrier(MPI_COMM_SELF));
  }
  OVER("the variables of only 64 places were searched", MPI_Barrier(MPI_COMM_SELF));
  for (int i = 0; i <= PLACES; i++) {
    MPI_Send(&integers[4 * i], 0, MPI_INT, 0, i, MPI_COMM_SELF);
    MPI_Wait(&pending[i], MPI_STATUS_IGNORE);
    MPI_Type_free(&types[i]);
  }
}

int main(int argc, char **argv) {
  next = dlsym(RTLD_DEFAULT, "taken_next");
  if (!next) return 64;
  MPI_Init(&argc, &argv);
  places();
  MPI_Finalize();
  return 0;
}
