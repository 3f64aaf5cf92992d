// SPDX-License-Identifier: MIT
// Communicators with topologies and groups, and data along their edges.
static void part(MPI_Comm *made) {
  if (*made != MPI_COMM_NULL) MPI_Comm_free(made);
}
ROW(cart_dims) {
  MPI_Comm made;
  int dims[2] = {OTHER(2, 1), OTHER(1, 2)}, periods[2] = {0};
  MPI_Cart_create(comm, 2, dims, periods, 0, &made);
  part(&made);
}
ROW(cart_periods) {
  MPI_Comm made;
  int dims[1] = {2}, periods[1] = {differs};
  MPI_Cart_create(comm, 1, dims, periods, 0, &made);
  part(&made);
}
ROW(cart_true) { // any number except 0 is true
  MPI_Comm made;
  int dims[1] = {2}, periods[1] = {1 + differs};
  MPI_Cart_create(comm, 1, dims, periods, 0, &made);
  part(&made);
}
ROW(cart_reorder) {
  MPI_Comm made;
  int dims[1] = {2}, periods[1] = {0};
  MPI_Cart_create(comm, 1, dims, periods, differs, &made);
  part(&made);
}
ROW(graph_edges) {
  MPI_Comm made;
  int index[2] = {1, 2}, edges[2] = {OTHER(1, 0), 0};
  MPI_Graph_create(comm, 2, index, edges, 0, &made);
  part(&made);
}
ROW(graph_index) {
  MPI_Comm made;
  int index[2] = {OTHER(1, 2), 2}, edges[2] = {1, 0};
  MPI_Graph_create(comm, 2, index, edges, 0, &made);
  part(&made);
}
ROW(graph_nnodes) {
  MPI_Comm made;
  int index[2] = {1, 1}, edges[1] = {0}; // the second node has none
  MPI_Graph_create(comm, OTHER(2, 1), index, edges, 0, &made);
  part(&made);
}
ROW(dist_graph_weights) {
  MPI_Comm made;
  int source = rank, degree = 1, destination = !rank, weight = 3;
  MPI_Dist_graph_create(comm, 1, &source, &degree, &destination, OTHER(MPI_UNWEIGHTED, &weight),
                        MPI_INFO_NULL, 0, &made);
  part(&made);
}
ROW(dist_graph_reorder) {
  MPI_Comm made;
  int source = rank, degree = 1, destination = !rank;
  MPI_Dist_graph_create(comm, 1, &source, &degree, &destination, MPI_UNWEIGHTED, MPI_INFO_NULL,
                        differs, &made);
  part(&made);
}
ROW(adjacent_weights) {
  MPI_Comm made;
  int other = !rank, weight = 3;
  int *weights = OTHER(MPI_UNWEIGHTED, &weight);
  MPI_Dist_graph_create_adjacent(comm, 1, &other, weights, 1, &other, weights, MPI_INFO_NULL, 0,
                                 &made);
  MPI_Comm_free(&made);
}
ROW(adjacent_reorder) {
  MPI_Comm made;
  int other = !rank;
  MPI_Dist_graph_create_adjacent(comm, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, differs, &made);
  MPI_Comm_free(&made);
}
ROW(adjacent_edges) {
  // mpipp keeps the record of a datatype that was used in a call, even if it is freed.
  MPI_Comm made;
  int other = !rank;
  MPI_Dist_graph_create_adjacent(comm, OTHER(1, 0), &other, MPI_UNWEIGHTED, 1, &other,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
  MPI_Barrier(made);
  MPI_Comm_free(&made);
}
ROW(merge_high) {
  // Each group has one process, so that nothing can differ within a group.
  MPI_Comm alone, inter, made;
  MPI_Comm_split(comm, rank, 0, &alone);
  MPI_Intercomm_create(alone, 0, comm, !rank, 5, &inter);
  MPI_Intercomm_merge(inter, differs, &made);
  MPI_Comm_free(&alone);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&made);
}

ROW(neighbor_type) {
  MPI_Comm made;
  int dims[1] = {2}, periods[1] = {0};
  MPI_Datatype type = OTHER(MPI_INT, MPI_FLOAT);
  MPI_Cart_create(comm, 1, dims, periods, 0, &made);
  MPI_Neighbor_allgather(ints, 2, type, more, 2, type, made);
  MPI_Comm_free(&made);
}
ROW(neighbor_w_type) {
  MPI_Comm made;
  int other = !rank, counts[1] = {2};
  MPI_Aint displacements[1] = {0};
  MPI_Datatype sent[1] = {OTHER(MPI_INT, MPI_FLOAT)}, received[1] = {MPI_INT};
  MPI_Dist_graph_create_adjacent(comm, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &made);
  MPI_Neighbor_alltoallw(ints, counts, displacements, sent, more, counts, displacements, received,
                         made);
  MPI_Comm_free(&made);
}
static MPI_Comm line(void) {
  MPI_Comm made;
  int dims[1] = {2}, periods[1] = {0};
  MPI_Cart_create(comm, 1, dims, periods, 0, &made);
  return made;
}
ROW(neighbor_v_type) {
  MPI_Comm made = line();
  int counts[2] = {2, 2}, displacements[2] = {0, 2};
  MPI_Datatype type = OTHER(MPI_INT, MPI_FLOAT);
  MPI_Neighbor_allgatherv(ints, 2, type, more, counts, displacements, type, made);
  MPI_Comm_free(&made);
}
ROW(neighbor_all_type) {
  MPI_Comm made = line();
  MPI_Datatype type = OTHER(MPI_INT, MPI_FLOAT);
  MPI_Neighbor_alltoall(ints, 2, type, more, 2, type, made);
  MPI_Comm_free(&made);
}
ROW(neighbor_all_v_type) {
  MPI_Comm made = line();
  int counts[2] = {2, 2}, displacements[2] = {0, 2};
  MPI_Datatype type = OTHER(MPI_INT, MPI_FLOAT);
  MPI_Neighbor_alltoallv(ints, counts, displacements, type, more, counts, displacements, type,
                         made);
  MPI_Comm_free(&made);
}
// Both neighbors are the other process.
static MPI_Comm circle(void) {
  MPI_Comm made;
  int dims[1] = {2}, periods[1] = {1};
  MPI_Cart_create(comm, 1, dims, periods, 0, &made);
  return made;
}
ROW(neighbor_twice_type) {
  MPI_Comm made = circle();
  MPI_Datatype type = OTHER(MPI_INT, MPI_FLOAT);
  MPI_Neighbor_alltoall(ints, 2, type, more, 2, type, made);
  MPI_Comm_free(&made);
}
ROW(neighbor_twice_w_type) {
  MPI_Comm made = circle();
  int counts[2] = {2, 2};
  MPI_Aint displacements[2] = {0, 8};
  MPI_Datatype sent[2] = {MPI_INT, OTHER(MPI_FLOAT, MPI_INT)}, received[2] = {MPI_FLOAT, MPI_INT};
  MPI_Neighbor_alltoallw(ints, counts, displacements, sent, more, counts, displacements, received,
                         made);
  MPI_Comm_free(&made);
}
ROW(create_group) {
  MPI_Comm made;
  MPI_Group all, given;
  int ranks[2] = {OTHER(0, 1), OTHER(1, 0)};
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, 2, ranks, &given);
  MPI_Comm_create(comm, given, &made);
  MPI_Comm_free(&made);
  MPI_Group_free(&given);
  MPI_Group_free(&all);
}
