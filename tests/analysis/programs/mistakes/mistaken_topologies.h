// SPDX-License-Identifier: MIT
// Mistakes of mistakes.c in calls that make communicators and groups, or are about topologies.
#ifndef MISTAKEN_TOPOLOGIES_H
#define MISTAKEN_TOPOLOGIES_H

static void asked_of_grids(void) {
  MPI_Comm grid, graph, distributed;
  int sizes[2] = {0, 0}, other;
  MPI_Cart_create(comm, 2, (int[]){1, 1}, (int[]){0, 1}, 0, &grid);
  MPI_Graph_create(comm, 1, (int[]){1}, (int[]){0}, 0, &graph);
  MPI_Dist_graph_create_adjacent(comm, 1, (int[]){0}, MPI_UNWEIGHTED, 1, (int[]){0}, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &distributed);
  RIGHT(MPI_Dims_create(6, 2, sizes));
  RIGHT(MPI_Dims_create(1, 0, NULL));
  WRONG("topology-argument: nnodes is -6", MPI_Dims_create(-6, 2, (int[]){0, 0}));
  WRONG("topology-argument: dims[1] is -1", MPI_Dims_create(6, 2, (int[]){0, -1}));
  WRONG("topology-argument: nnodes is 6, which is not a multiple of 4, the product of the nonzero "
        "dims",
        MPI_Dims_create(6, 2, (int[]){4, 0}));
  WRONG("topology-argument: dims is a null pointer, but 2 entries are needed",
        MPI_Dims_create(6, 2, NULL));
  WRONG("topology-argument: dims describe 2 processes, but the communicator has 1",
        MPI_Cart_map(comm, 1, (int[]){2}, (int[]){0}, &other));
  RIGHT(MPI_Graph_map(comm, 1, (int[]){1}, (int[]){0}, &other));
  WRONG("topology-argument: edges[0] is 1, but the nodes are 0 to 0",
        MPI_Graph_map(comm, 1, (int[]){1}, (int[]){1}, &other));
  RIGHT(MPI_Cart_rank(grid, (int[]){0, 7}, &other));
  WRONG("topology-argument: coords[0] is 1, but dimension 0 has size 1 and is not periodic",
        MPI_Cart_rank(grid, (int[]){1, 0}, &other));
  WRONG("topology-argument: coords is a null pointer, but 2 entries are needed",
        MPI_Cart_rank(grid, NULL, &other));
  WRONG(
      "topology-argument: MPI_Cart_rank needs a Cartesian topology, but the communicator has none",
      MPI_Cart_rank(comm, (int[]){0}, &other));
  RIGHT(MPI_Cart_coords(grid, 0, 2, sizes));
  WRONG("topology-argument: rank is 1, but the communicator has only rank 0",
        MPI_Cart_coords(grid, 1, 2, sizes));
  WRONG("topology-argument: MPI_Cart_coords needs a Cartesian topology, but the communicator has a "
        "graph",
        MPI_Cart_coords(graph, 0, 2, sizes));
  RIGHT(MPI_Cart_shift(grid, 1, -3, &other, sizes));
  WRONG("topology-argument: direction is 2, but the grid has 2 dimensions",
        MPI_Cart_shift(grid, 2, 1, &other, sizes));
  WRONG(
      "topology-argument: MPI_Cart_shift needs a Cartesian topology, but the communicator has none",
      MPI_Cart_shift(comm, 0, 1, &other, sizes));
  RIGHT(MPI_Graph_neighbors(graph, 0, 1, sizes));
  WRONG("topology-argument: rank is -1, but the communicator has only rank 0",
        MPI_Graph_neighbors(graph, -1, 1, sizes));
  WRONG("topology-argument: MPI_Graph_neighbors needs a graph topology, but the communicator has a "
        "Cartesian one",
        MPI_Graph_neighbors(grid, 0, 1, sizes));
  RIGHT(MPI_Cartdim_get(grid, &other));
  WRONG("topology-argument: MPI_Cartdim_get needs a Cartesian topology, but the communicator has "
        "none",
        MPI_Cartdim_get(comm, &other));
  WRONG("topology-argument: MPI_Cart_get needs a Cartesian topology, but the communicator has a "
        "graph",
        MPI_Cart_get(graph, 2, sizes, sizes, sizes));
  RIGHT(MPI_Graphdims_get(graph, sizes, &other));
  WRONG(
      "topology-argument: MPI_Graphdims_get needs a graph topology, but the communicator has none",
      MPI_Graphdims_get(comm, sizes, &other));
  WRONG("topology-argument: MPI_Graph_get needs a graph topology, but the communicator has a "
        "distributed graph",
        MPI_Graph_get(distributed, 1, 1, sizes, &other));
  WRONG("topology-argument: rank is 1, but the communicator has only rank 0",
        MPI_Graph_neighbors_count(graph, 1, &other));
  RIGHT(MPI_Dist_graph_neighbors_count(distributed, sizes, &other, &other));
  WRONG("topology-argument: MPI_Dist_graph_neighbors_count needs a distributed graph topology, but "
        "the communicator has a graph",
        MPI_Dist_graph_neighbors_count(graph, sizes, &other, &other));
  WRONG("topology-argument: MPI_Dist_graph_neighbors needs a distributed graph topology, but the "
        "communicator has a Cartesian one",
        MPI_Dist_graph_neighbors(grid, 1, sizes, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED));
  WRONG("argument: MPI_Comm_remote_size needs an intercommunicator, but the communicator has one "
        "group",
        MPI_Comm_remote_size(comm, &other));
  MPI_Comm_free(&grid);
  MPI_Comm_free(&graph);
  MPI_Comm_free(&distributed);
}

static void topologies(void) {
  WRONG("topology-argument: ndims is -1", MPI_Cart_create(comm, -1, numbers, numbers, 0, &made));
  WRONG("topology-argument: dims[1] is -1",
        MPI_Cart_create(comm, 2, (int[]){1, -1}, (int[]){0, 0}, 0, &made));
  WRONG("topology-argument: dims describe 6 processes, but the communicator has 1",
        MPI_Cart_create(comm, 2, (int[]){2, 3}, (int[]){0, 0}, 0, &made));
  WRONG("topology-argument: periods is a null pointer, but 2 entries are needed",
        MPI_Cart_create(comm, 2, (int[]){1, 1}, NULL, 0, &made));
  RIGHT(MPI_Cart_create(comm, 0, NULL, NULL, 0, &made));
  WRONG("topology-argument: MPI_Cart_sub needs a Cartesian topology, but the communicator has none",
        MPI_Cart_sub(comm, (int[]){1}, &made));
  asked_of_grids();
  WRONG("topology-argument: nnodes is 2, but the communicator has 1 process",
        MPI_Graph_create(comm, 2, (int[]){1, 2}, (int[]){1, 0}, 0, &made));
  WRONG("topology-argument: index[0] is -1, less than the 0 before it",
        MPI_Graph_create(comm, 1, (int[]){-1}, (int[]){0}, 0, &made));
  WRONG("topology-argument: edges[1] is 1, but the nodes are 0 to 0",
        MPI_Graph_create(comm, 1, (int[]){2}, (int[]){0, 1}, 0, &made));
  RIGHT(MPI_Graph_create(comm, 1, (int[]){2}, (int[]){0, 0}, 0, &made));
  WRONG("topology-argument: degrees[0] is -1",
        MPI_Dist_graph_create(comm, 1, (int[]){0}, (int[]){-1}, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL,
                              0, &made));
  WRONG("topology-argument: destinations[1] is 1, but the communicator has only rank 0",
        MPI_Dist_graph_create(comm, 1, (int[]){0}, (int[]){2}, (int[]){0, 1}, MPI_UNWEIGHTED,
                              MPI_INFO_NULL, 0, &made));
  WRONG("topology-argument: weights[1] is -2",
        MPI_Dist_graph_create(comm, 1, (int[]){0}, (int[]){2}, (int[]){0, 0}, (int[]){1, -2},
                              MPI_INFO_NULL, 0, &made));
  WRONG("topology-argument: destweights[0] is -1",
        MPI_Dist_graph_create_adjacent(comm, 1, (int[]){0}, (int[]){0}, 1, (int[]){0}, (int[]){-1},
                                       MPI_INFO_NULL, 0, &made));
  RIGHT(MPI_Dist_graph_create_adjacent(comm, 1, (int[]){0}, MPI_UNWEIGHTED, 0, NULL,
                                       MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &made));
  RIGHT(MPI_Dist_graph_create(comm, 0, NULL, NULL, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
  WRONG("topology-argument: sources[0] is -1, but the communicator has only rank 0",
        MPI_Dist_graph_create_adjacent(comm, 1, (int[]){-1}, MPI_UNWEIGHTED, 0, NULL,
                                       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
  WRONG("topology-argument: outdegree is -1",
        MPI_Dist_graph_create_adjacent(comm, 0, NULL, MPI_UNWEIGHTED, -1, NULL, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, &made));
  WRONG("topology-argument: MPI_Neighbor_allgather is called on a communicator without a topology",
        MPI_Neighbor_allgather(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, comm));
  WRONG("argument: color is -5", MPI_Comm_split(comm, -5, 0, &made));
  RIGHT(MPI_Comm_split(comm, MPI_UNDEFINED, -5, &made));
  WRONG("argument: local_leader is 1, but local_comm has only rank 0",
        MPI_Intercomm_create(MPI_COMM_SELF, 1, comm, 0, 0, &made));
  WRONG("argument: remote_leader is 4, but peer_comm has only rank 0",
        MPI_Intercomm_create(MPI_COMM_SELF, 0, comm, 4, 0, &made));
  WRONG("null-handle: peer_comm is MPI_COMM_NULL, but a communicator is needed",
        MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_NULL, 0, 0, &made));
}

static void groups(void) {
  int range[1][3] = {{0, 1, 1}}, still[1][3] = {{0, 0, 0}}, twice[2][3] = {{0, 0, 1}, {0, 0, 1}};
  WRONG("group-argument: ranks[0] is 3, but the group has only rank 0",
        MPI_Group_incl(all, 1, (int[]){3}, &group));
  WRONG("group-argument: n is 2, but the group has only rank 0",
        MPI_Group_incl(all, 2, (int[]){0, 0}, &group));
  WRONG("group-argument: n is -1, but the group has only rank 0",
        MPI_Group_excl(all, -1, (int[]){0}, &group));
  WRONG("group-argument: ranks is a null pointer, but 1 entry is needed",
        MPI_Group_excl(all, 1, NULL, &group));
  WRONG("group-argument: n is -1", MPI_Group_translate_ranks(all, -1, NULL, all, numbers));
  WRONG("group-argument: ranks1[1] is 1, but group1 has only rank 0",
        MPI_Group_translate_ranks(all, 2, (int[]){0, 1}, all, numbers));
  RIGHT(MPI_Group_translate_ranks(all, 2, (int[]){0, MPI_PROC_NULL}, MPI_GROUP_EMPTY, numbers));
  RIGHT(MPI_Group_incl(MPI_GROUP_EMPTY, 0, NULL, &group));
  WRONG("group-argument: ranges[0] is 0 to 1 by 1, but the group has only rank 0",
        MPI_Group_range_incl(all, 1, range, &group));
  WRONG("group-argument: ranges[0] is 0 to 0 by 0", MPI_Group_range_incl(all, 1, still, &group));
  WRONG("group-argument: the rank 0 is in ranges[0] and ranges[1]",
        MPI_Group_range_excl(all, 2, twice, &group));
  RIGHT(MPI_Group_range_excl(all, 1, twice, &group));
}

#endif
