// SPDX-License-Identifier: MIT
// Reductions that agree, or do not.
ROW(reduce_type) {
  MPI_Reduce(ints, more, 2, OTHER(MPI_INT, MPI_FLOAT), MPI_SUM, 0, comm);
}
ROW(reduce_op) {
  MPI_Reduce(ints, more, 2, MPI_INT, OTHER(MPI_SUM, MPI_MAX), 0, comm);
}
ROW(reduce_root) {
  MPI_Reduce(ints, more, 2, MPI_INT, MPI_SUM, OTHER(1, 0), comm); // the third root is wrong, too
}
ROW(allreduce_type) {
  MPI_Allreduce(ints, more, 2, OTHER(MPI_INT, MPI_FLOAT), MPI_SUM, comm);
}
ROW(allreduce_op) {
  MPI_Allreduce(ints, more, 2, MPI_INT, OTHER(MPI_SUM, MPI_MAX), comm);
}
ROW(allreduce_place) {
  MPI_Allreduce(OTHER((void *)ints, MPI_IN_PLACE), more, 2, MPI_INT, MPI_SUM, comm);
}
ROW(reduce_scatter_type) {
  int counts[2] = {2, 2};
  MPI_Reduce_scatter(ints, more, counts, OTHER(MPI_INT, MPI_FLOAT), MPI_SUM, comm);
}
ROW(reduce_scatter_op) {
  int counts[2] = {2, 2};
  MPI_Reduce_scatter(ints, more, counts, MPI_INT, OTHER(MPI_SUM, MPI_MAX), comm);
}
ROW(reduce_scatter_place) {
  // Each process may pass a receive buffer or not: only a receiver needs one.
  int counts[2] = {2, 2}, none[2] = {2, 0};
  MPI_Reduce_scatter(OTHER((void *)ints, MPI_IN_PLACE), more, counts, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter(OTHER(MPI_IN_PLACE, (void *)ints), OTHER(more, NULL), none, MPI_INT, MPI_SUM,
                     comm);
}
ROW(reduce_scatter_place_type) {
  int counts[2] = {2, 2};
  MPI_Reduce_scatter(MPI_IN_PLACE, more, counts, OTHER(MPI_INT, MPI_FLOAT), MPI_SUM, comm);
}
ROW(reduce_scatter_block_type) {
  MPI_Reduce_scatter_block(ints, more, 2, OTHER(MPI_INT, MPI_FLOAT), MPI_SUM, comm);
}
ROW(reduce_scatter_block_place) {
  MPI_Reduce_scatter_block(OTHER((void *)ints, MPI_IN_PLACE), more, 2, MPI_INT, MPI_SUM, comm);
}
ROW(reduce_scatter_block_place_type) {
  MPI_Reduce_scatter_block(MPI_IN_PLACE, more, 2, OTHER(MPI_INT, MPI_FLOAT), MPI_SUM, comm);
}
ROW(reduce_scatter_block_op) {
  MPI_Reduce_scatter_block(ints, more, 2, MPI_INT, OTHER(MPI_SUM, MPI_MAX), comm);
}
ROW(scan_type) {
  MPI_Scan(ints, more, 2, OTHER(MPI_INT, MPI_FLOAT), MPI_SUM, comm);
}
ROW(scan_op) {
  MPI_Scan(ints, more, 2, MPI_INT, OTHER(MPI_SUM, MPI_MAX), comm);
}
ROW(exscan_type) {
  MPI_Exscan(ints, more, 2, OTHER(MPI_INT, MPI_FLOAT), MPI_SUM, comm);
}
ROW(exscan_op) {
  MPI_Exscan(ints, more, 2, MPI_INT, OTHER(MPI_SUM, MPI_MAX), comm);
}
// The program's own operations: with different functions, or different commutativity.
static void add(void *in, void *inout, int *count, MPI_Datatype *type) {
  for (int i = 0; i < *count; i++) ((int *)inout)[i] += ((int *)in)[i];
  (void)type;
}
static void more_than(void *in, void *inout, int *count, MPI_Datatype *type) {
  for (int i = 0; i < *count; i++) ((int *)inout)[i] += ((int *)in)[i] + 1;
  (void)type;
}
ROW(reduce_own) {
  MPI_Op op;
  MPI_Op_create(OTHER(add, more_than), 1, &op);
  MPI_Reduce(ints, more, 2, MPI_INT, op, 0, comm);
  MPI_Op_free(&op);
}
ROW(scan_own) {
  MPI_Op op;
  MPI_Op_create(OTHER(add, more_than), 1, &op);
  MPI_Scan(ints, more, 2, MPI_INT, op, comm);
  MPI_Op_free(&op);
}
ROW(iallreduce_own) {
  MPI_Op op;
  MPI_Request request;
  MPI_Op_create(OTHER(add, more_than), 1, &op);
  MPI_Iallreduce(ints, more, 2, MPI_INT, op, comm, &request);
  MPI_Op_free(&op); // the call still needs the operation
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
ROW(exscan_commutes) {
  MPI_Op op;
  MPI_Op_create(add, OTHER(1, 0), &op);
  MPI_Exscan(ints, more, 2, MPI_INT, op, comm);
  MPI_Op_free(&op);
}
ROW(allreduce_predefined) {
  MPI_Op op = MPI_SUM;
  if (differs) MPI_Op_create(add, 1, &op);
  MPI_Allreduce(ints, more, 2, MPI_INT, op, comm);
  if (differs) MPI_Op_free(&op);
}
