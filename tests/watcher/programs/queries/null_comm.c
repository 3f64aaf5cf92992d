// SPDX-License-Identifier: MIT
// A process uses a communicator of which it is no member.
#include <mpi.h>
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int fixed = argc > 2, rank, size, s = 0;
  char mode = argc > 1 ? argv[1][0] : 's';
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm c = MPI_COMM_NULL;
  if (mode == 's')
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, rank, &c);
  else if (mode == 'c') {
    MPI_Group g, h;
    int r[] = {1};
    MPI_Comm_group(MPI_COMM_WORLD, &g);
    MPI_Group_incl(g, 1, r, &h);
    MPI_Comm_create(MPI_COMM_WORLD, h, &c);
    MPI_Group_free(&g);
    MPI_Group_free(&h);
  } else if (mode == 'f') {
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
    MPI_Comm_free(&c);
  } else {
    int d[1] = {1}, p[1] = {0};
    MPI_Cart_create(MPI_COMM_WORLD, 1, d, p, 0, &c);
  }
  if (!fixed || c != MPI_COMM_NULL) {
    MPI_Comm_size(c, &s);
    MPI_Barrier(c);
    MPI_Comm_free(&c);
  }
  MPI_Finalize();
}
