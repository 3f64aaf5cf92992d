// SPDX-License-Identifier: MIT
// Collective communication on all kinds of communicators.
#ifndef COLLECTIVE_H
#define COLLECTIVE_H
#include "traffic.h"

enum { MOST = 8 }; // processes

static void larger(void *given, void *kept, int *length, MPI_Datatype *datatype) {
  double *from = given, *to = kept;
  (void)datatype;
  for (int i = 0; i < *length; i++)
    if (from[i] > to[i]) to[i] = from[i];
}

// The counts differ between the processes, and there is a gap between the parts.
static void spread(int *counts, int *places, int each) {
  for (int i = 0, place = 0; i < size; i++) {
    counts[i] = (i + each) % 3 * each;
    places[i] = counts[i] ? place : 1 << 28; // a share without data may be anywhere
    place += counts[i] + 1;
  }
}

static void rooted(void) {
  int n = draw(3) ? 1 + draw(SMALL) : LARGE / MOST, root = draw(size), is_root = rank == root;
  int counts[MOST], places[MOST];
  MPI_Datatype vector;
  spread(counts, places, n / 3);
  MPI_Type_vector(n, 1, 2, MPI_DOUBLE, &vector);
  MPI_Type_commit(&vector);
  dawdle();
  // The sender uses other datatypes than the receivers, with the same signature.
  if (is_root)
    MPI_Bcast(out, 1, vector, root, comm);
  else
    MPI_Bcast(in, n, MPI_DOUBLE, root, comm);
  MPI_Type_free(&vector);
  MPI_Gather(out, n, MPI_DOUBLE, is_root ? in : NULL, n, MPI_DOUBLE, root, comm);
  MPI_Gather(is_root ? MPI_IN_PLACE : out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, root, comm);
  MPI_Gatherv(out, counts[rank], MPI_DOUBLE, in, is_root ? counts : NULL, is_root ? places : NULL,
              MPI_DOUBLE, root, comm);
  dawdle();
  MPI_Scatter(is_root ? out : NULL, n, MPI_DOUBLE, is_root ? MPI_IN_PLACE : in, n, MPI_DOUBLE, root,
              comm);
  // Arguments that only the root uses may have any value in other processes.
  MPI_Scatterv(out, counts, places, is_root ? MPI_DOUBLE : MPI_DATATYPE_NULL, in, counts[rank],
               MPI_DOUBLE, root, comm);
  n = n > SMALL ? SMALL : n; // MPICH 4.0.2 ends the program if it is larger
  MPI_Reduce(is_root ? MPI_IN_PLACE : in, is_root ? in : NULL, n, MPI_DOUBLE, MPI_SUM, root, comm);
}

static void of_all(void) {
  int n = draw(3) ? 1 + draw(SMALL) : LARGE / MOST / 2, counts[MOST], places[MOST];
  int same[MOST], apart[MOST], bytes[MOST];
  MPI_Datatype types[MOST];
  MPI_Op op;
  spread(counts, places, n / 3);
  for (int i = 0; i < size; i++) {
    same[i] = n, apart[i] = i * (n + 1), bytes[i] = 8 * apart[i];
    types[i] = MPI_DOUBLE;
  }
  dawdle();
  MPI_Allgather(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, comm);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, n, MPI_DOUBLE, comm);
  MPI_Allgatherv(out, counts[rank], MPI_DOUBLE, in, counts, places, MPI_DOUBLE, comm);
  MPI_Alltoall(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, comm);
  dawdle();
  MPI_Alltoallv(out, same, apart, MPI_DOUBLE, in, same, apart, MPI_DOUBLE, comm);
  MPI_Alltoallw(out, same, bytes, types, in, same, bytes, types, comm);
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, same, bytes, types, comm);
  MPI_Allreduce(MPI_IN_PLACE, in, n, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Allreduce(out, in, n, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  MPI_Op_create(larger, 1, &op);
  MPI_Allreduce(out, in, n, MPI_DOUBLE, op, comm);
  MPI_Op_free(&op);
  dawdle();
  MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Reduce_scatter_block(out, in, n, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Scan(out, in, n, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Exscan(MPI_IN_PLACE, in, n, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Barrier(comm);
}

// Several calls at once on one communicator, and messages at the same time.
static void outstanding(void) {
  int n = 1 + draw(SMALL), counts[MOST], places[MOST], root = draw(size), way = draw(3), done;
  double own[4 * SMALL];
  MPI_Request r[9];
  for (int i = 0; i < size; i++) counts[i] = n, places[i] = 2 * i * n;
  double *at = in;
  MPI_Ibcast(at, n, MPI_DOUBLE, root, comm, &r[0]);
  MPI_Iallgather(out, n, MPI_DOUBLE, at += n, n, MPI_DOUBLE, comm, &r[1]);
  MPI_Iallgatherv(out, n, MPI_DOUBLE, at += size * n, counts, places, MPI_DOUBLE, comm, &r[2]);
  dawdle();
  MPI_Ibarrier(comm, &r[3]);
  MPI_Ireduce(out, rank == root ? at += 2 * size * n : NULL, n, MPI_DOUBLE, MPI_SUM, root, comm,
              &r[4]);
  MPI_Irecv(own, n, MPI_DOUBLE, left, tag, comm, &r[5]);
  MPI_Iallreduce(MPI_IN_PLACE, own + SMALL, n, MPI_DOUBLE, MPI_MAX, comm, &r[6]);
  MPI_Isend(out, n, MPI_DOUBLE, right, tag, comm, &r[7]);
  dawdle();
  MPI_Igatherv(out, n, MPI_DOUBLE, own + 2 * SMALL, counts, places, MPI_DOUBLE, 0, MPI_COMM_SELF,
               &r[8]);
  counts[0] = n;
  if (way == 0) MPI_Waitall(9, r, MPI_STATUSES_IGNORE);
  for (int i = 0; way == 1 && i < 9; i++) MPI_Wait(&r[8 - i], MPI_STATUS_IGNORE);
  for (done = 0; way == 2 && !done;) MPI_Testall(9, r, &done, MPI_STATUSES_IGNORE);
}

static void persistent_collectives(void) {
#if MPI_VERSION >= 4
  int n = 1 + draw(SMALL), root = draw(size);
  MPI_Request r[2];
  MPI_Bcast_init(in, n, MPI_DOUBLE, root, comm, MPI_INFO_NULL, &r[0]);
  MPI_Allreduce_init(out, in + n, n, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &r[1]);
  for (int i = 0; i < 2; i++) {
    dawdle();
    MPI_Start(&r[0]);
    MPI_Barrier(comm);
    MPI_Start(&r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
#endif
}

static void neighborhoods(void) {
  MPI_Comm ring, graph;
  MPI_Request r;
  int n = 1 + draw(SMALL), two[] = {n, n}, apart[] = {0, 2 * n}, sources[] = {left, right};
  int destinations[] = {right, left};
  MPI_Cart_create(comm, 1, &size, (int[]){1}, 0, &ring);
  MPI_Neighbor_allgather(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, ring);
  MPI_Ineighbor_alltoall(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, ring, &r);
  dawdle();
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Neighbor_alltoallv(out, two, apart, MPI_DOUBLE, in, two, apart, MPI_DOUBLE, ring);
  MPI_Comm_free(&ring);
  // Each process sends twice as much to its right neighbor as it gets from there.
  MPI_Dist_graph_create_adjacent(comm, 2, sources, MPI_UNWEIGHTED, 2, destinations, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  MPI_Neighbor_alltoallv(out, (int[]){2 * n, n}, (int[]){0, 2 * n}, MPI_DOUBLE, in,
                         (int[]){2 * n, n}, (int[]){n, 3 * n}, MPI_DOUBLE, graph);
  MPI_Comm_free(&graph);
}

// Only one group communicates, with other procedures, types and roots than the other one.
static void work_in(MPI_Comm part, int kind) {
  int here, there;
  MPI_Request r;
  MPI_Datatype type = kind ? MPI_DOUBLE : MPI_INT;
  MPI_Comm_rank(part, &here);
  MPI_Comm_size(part, &there);
  for (int i = 0; i < there; i++) {
    dawdle();
    if (kind) MPI_Bcast(in, 5, type, i, part);
    if (!kind) MPI_Reduce(out, in, 3, type, MPI_MAX, there - 1 - i, part);
    MPI_Irecv(in, 1 + kind, type, MPI_ANY_SOURCE, 1, part, &r);
    MPI_Send(out, 1 + kind, type, (here + 1) % there, 1, part);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Allgather(out, 1, type, in, 1, type, part);
  }
}

static void communicators(void) {
  MPI_Comm part, copy, later, nobody;
  MPI_Group all, few;
  MPI_Request r;
  int color = rank % 2;
  if (!draw(3)) color = 0;
  MPI_Comm_split(comm, color, draw(2) ? -rank : rank, &part);
  MPI_Comm_dup(part, &copy);
  MPI_Comm_idup(comm, &later, &r);
  work_in(part, color);
  MPI_Comm_free(&part);
  work_in(copy, !color);
  MPI_Comm_free(&copy);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  work_in(later, 1);
  MPI_Comm_free(&later);
#if MPI_VERSION >= 4
  MPI_Comm_idup_with_info(comm, MPI_INFO_NULL, &later, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Comm_free(&later);
#endif
  MPI_Comm_split(comm, rank ? 0 : MPI_UNDEFINED, 0, &nobody);
  if (nobody != MPI_COMM_NULL) work_in(nobody, 0), MPI_Comm_free(&nobody);
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, 2, (int[]){size - 1, 0}, &few);
  if (rank == 0 || rank == size - 1) {
    MPI_Comm_create_group(comm, few, tag, &part);
    work_in(part, 1);
    MPI_Comm_free(&part);
  }
  MPI_Comm_create(comm, few, &part);
  if (part != MPI_COMM_NULL) work_in(part, 1), MPI_Comm_free(&part);
  MPI_Group_free(&few);
  MPI_Group_free(&all);
}

static void two_groups(void) {
  MPI_Comm part, inter, merged;
  MPI_Request r;
  int color = rank % 2, n = 1 + draw(SMALL), here, there;
  MPI_Comm_split(comm, color, 0, &part);
  MPI_Intercomm_create(part, 0, comm, 1 - color, tag, &inter);
  MPI_Comm_rank(inter, &here);
  MPI_Comm_remote_size(inter, &there);
  // The first of the even ranks sends to all odd ranks.
  MPI_Bcast(in, n, MPI_DOUBLE, color ? 0 : here ? MPI_PROC_NULL : MPI_ROOT, inter);
  dawdle();
  // One group sends more data than the other one.
  MPI_Allgather(out, n + color, MPI_DOUBLE, in, n + 1 - color, MPI_DOUBLE, inter);
  if (here < there) {
    MPI_Irecv(in, LARGE, MPI_DOUBLE, here, tag, inter, &r);
    MPI_Send(out, n, MPI_DOUBLE, here, tag, inter);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(out, n, MPI_DOUBLE, MPI_PROC_NULL, tag, inter);
  }
  MPI_Barrier(inter);
  MPI_Intercomm_merge(inter, color, &merged);
  work_in(merged, 0);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&part);
}

// Communicators and groups made with unusual arguments, and objects that are freed early.
static void made(void) {
  int dims[2] = {0, 0}, wrap[2] = {1, 0}, index[MOST], edges[2 * MOST], range[1][3];
  int number, out_number, weighted;
  MPI_Comm grid, row, graph, some;
  MPI_Group all, odd, none;
  MPI_Op op, again;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(comm, 2, dims, wrap, 0, &grid);
  MPI_Cartdim_get(grid, &number);
  MPI_Cart_get(grid, number, dims, wrap, (int[2]){0});
  MPI_Cart_sub(grid, (int[]){1, 0}, &row);
  dawdle();
  MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, grid);
  MPI_Comm_free(&row);
  MPI_Comm_free(&grid);
  for (int i = 0; i < size; i++) {
    edges[2 * i] = (i + 1) % size, edges[2 * i + 1] = (i + size - 1) % size;
    index[i] = 2 * i + 2;
  }
  MPI_Graph_create(comm, size, index, edges, 0, &graph);
  MPI_Graphdims_get(graph, &number, &out_number);
  MPI_Graph_get(graph, number, out_number, index, edges);
  MPI_Graph_neighbors_count(graph, rank, &number);
  MPI_Graph_neighbors(graph, rank, number, edges);
  MUST(edges[0] == right && edges[1] == left);
  dawdle();
  MPI_Comm_free(&graph);
  MPI_Dist_graph_create_adjacent(comm, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  MPI_Dist_graph_neighbors_count(graph, &number, &out_number, &weighted);
  MPI_Dist_graph_neighbors(graph, number, &index[0], MPI_UNWEIGHTED, out_number, &index[1],
                           MPI_UNWEIGHTED);
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, graph);
  MPI_Comm_free(&graph);
  MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &some);
  MPI_Barrier(some);
  MPI_Comm_free(&some);
  MPI_Comm_split(comm, rank ? 7 : MPI_UNDEFINED, -rank, &some);
  if (some != MPI_COMM_NULL) MPI_Barrier(some), MPI_Comm_free(&some);
  MPI_Comm_group(comm, &all);
  range[0][0] = size - 1, range[0][1] = 0, range[0][2] = -2;
  MPI_Group_range_incl(all, 1, range, &odd);
  MPI_Group_incl(all, 0, NULL, &none);
  MPI_Comm_create(comm, odd, &some);
  if (some != MPI_COMM_NULL) MPI_Barrier(some), MPI_Comm_free(&some);
  MPI_Group_free(&odd);
  MPI_Group_free(&all);
  MPI_Op_create(larger, 1, &op);
  again = op;
  MPI_Op_free(&op);
  MPI_Op_create(larger, 0, &op); // may get the handle of the freed operation
  MPI_Allreduce(out, in, 2, MPI_DOUBLE, op, comm);
  (void)again;
  MPI_Op_free(&op);
}

static void (*const COLLECTIVE[])(void) = {
    made,          rooted,        of_all,    outstanding, persistent_collectives,
    neighborhoods, communicators, two_groups};

#endif
