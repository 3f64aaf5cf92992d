// SPDX-License-Identifier: MIT
// Two or more processes make several errors. The argument is the library of
// grid.c.
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

#include "grid.h"

struct particle {
  double x[2];
  int kind;
};

static int rank;

static MPI_Datatype particles(void) {
  int lengths[2] = {2, 1};
  MPI_Aint places[2] = {offsetof(struct particle, x), offsetof(struct particle, kind)};
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT}, plain, made;
  MPI_Type_create_struct(2, lengths, places, types, &plain);
  MPI_Type_create_resized(plain, 0, sizeof(struct particle), &made);
  MPI_Type_free(&plain);
  MPI_Type_set_name(made, "<script>alert(1)</script>\033[31m\xff");
  MPI_Type_commit(&made);
  return made;
}

static void exchange(void) {
  // The fifth of nine messages is received with a wrong datatype: </pre><script>alert(2)</script>
  struct particle all[4] = {{{0}}};
  MPI_Datatype particle = particles();
  for (int i = 1; i <= 9; i++) {
    if (rank == 0)
      MPI_Send(all, 4, particle, 1, 7, MPI_COMM_WORLD);
    else if (rank == 1 && i == 5)
      MPI_Recv(all, 12, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (rank == 1)
      MPI_Recv(all, 4, particle, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&particle);
}

int main(int argc, char **argv) {
  MPI_Comm comm;
  MPI_Datatype row;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  exchange();
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_name(comm, "<img src=x onerror=alert(3)>\"'&\033]0;title\a\xc3(");
  int data[4] = {0};
  MPI_Barrier(comm);
  MPI_Bcast(data, 4, rank == 0 ? MPI_INT : MPI_FLOAT, 0, comm);
  MPI_Comm_free(&comm);
  void *library = dlopen(argv[1], RTLD_NOW);
  void (*setup)(MPI_Datatype *) = (void (*)(MPI_Datatype *))dlsym(library, "grid_setup");
  setup(&row);
  MPI_Finalize();
}
