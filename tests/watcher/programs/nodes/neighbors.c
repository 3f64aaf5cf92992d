// SPDX-License-Identifier: MIT
// Neighborhood collective calls in a grid, a graph or a distributed graph of four. With "wrong" the
// first message of rank 1 does not match its receive on another node.
#include <mpi.h>
#include <string.h>

enum { MOST = 4 };

static int rank, size;

static MPI_Comm topology(const char *which) {
  MPI_Comm made;
  if (strcmp(which, "cart") == 0) { // periodic, two wide: each neighbor is one twice
    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 2}, (int[]){1, 1}, 0, &made);
  } else if (strcmp(which, "graph") == 0) { // a ring
    MPI_Graph_create(MPI_COMM_WORLD, 4, (int[]){2, 4, 6, 8}, (int[]){1, 3, 2, 0, 3, 1, 0, 2}, 0,
                     &made);
  } else { // two edges to the next one, and one to oneself
    int next = (rank + 1) % size, last = (rank + size - 1) % size;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, (int[]){last, rank, last}, MPI_UNWEIGHTED, 3,
                                   (int[]){next, next, rank}, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &made);
  }
  return made;
}

int main(int argc, char **argv) {
  int sent[MOST] = {0}, received[MOST], counts[MOST] = {1, 1, 1, 1}, places[MOST] = {0, 1, 2, 3};
  MPI_Aint bytes[MOST] = {0, 4, 8, 12};
  MPI_Datatype ints[MOST] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT}, types[MOST];
  MPI_Comm comms[5];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int wrong = argc > 2 && strcmp(argv[2], "wrong") == 0 && rank == 1;
  memcpy(types, ints, sizeof types);
  if (wrong) types[0] = MPI_FLOAT;
  for (int i = 0; i < 5; i++) comms[i] = topology(argv[1]);
  for (int turn = 0; turn < 3; turn++) {
    MPI_Neighbor_allgather(sent, 1, types[0], received, 1, MPI_INT, comms[0]);
    MPI_Neighbor_allgatherv(sent, 1, types[0], received, counts, places, MPI_INT, comms[1]);
    MPI_Neighbor_alltoall(sent, 1, types[0], received, 1, MPI_INT, comms[2]);
    MPI_Neighbor_alltoallv(sent, counts, places, types[0], received, counts, places, MPI_INT,
                           comms[3]);
    MPI_Neighbor_alltoallw(sent, counts, bytes, types, received, counts, bytes, ints, comms[4]);
  }
  for (int i = 0; i < 5; i++) MPI_Comm_free(&comms[i]);
  MPI_Finalize();
  return 0;
}
