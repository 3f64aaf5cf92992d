// SPDX-License-Identifier: MIT
// Calls on intercommunicators. Each group has one
// process.
static MPI_Comm pair(void) {
  MPI_Comm alone, made;
  MPI_Comm_split(comm, rank, 0, &alone);
  MPI_Intercomm_create(alone, 0, comm, !rank, 5, &made);
  MPI_Comm_free(&alone);
  return made;
}
ROW(inter_bcast_type) {
  MPI_Comm inter = pair();
  MPI_Bcast(ints, 2, OTHER(MPI_INT, MPI_FLOAT), rank == 0 ? MPI_ROOT : 0, inter);
  MPI_Comm_free(&inter);
}
ROW(inter_bcast_missing) {
  MPI_Comm inter = pair();
  MPI_Barrier(inter);
  if (!differs) MPI_Bcast(ints, 2, MPI_INT, rank == 0 ? MPI_ROOT : 0, inter);
  MPI_Comm_free(&inter);
}
ROW(inter_bcast_root) {
  MPI_Comm inter = pair();
  MPI_Bcast(ints, 2, MPI_INT, rank == 0 ? MPI_ROOT : OTHER(0, MPI_PROC_NULL), inter);
  MPI_Comm_free(&inter);
}
ROW(inter_gather_type) {
  MPI_Comm inter = pair();
  MPI_Datatype type = OTHER(MPI_INT, MPI_FLOAT);
  MPI_Gather(ints, 2, type, more, 2, type, rank == 0 ? MPI_ROOT : 0, inter);
  MPI_Comm_free(&inter);
}
ROW(inter_allgather_type) {
  MPI_Comm inter = pair();
  MPI_Datatype type = OTHER(MPI_INT, MPI_FLOAT);
  MPI_Allgather(ints, 2, type, more, 2, MPI_INT, inter);
  MPI_Comm_free(&inter);
}
ROW(inter_allreduce_op) {
  MPI_Comm inter = pair();
  MPI_Allreduce(ints, more, 2, MPI_INT, OTHER(MPI_SUM, MPI_MAX), inter);
  MPI_Comm_free(&inter);
}
ROW(inter_reduce_scatter_type) {
  MPI_Comm inter = pair();
  int counts[1] = {2};
  MPI_Reduce_scatter(ints, more, counts, OTHER(MPI_INT, MPI_FLOAT), MPI_SUM, inter);
  MPI_Comm_free(&inter);
}
ROW(inter_reduce_scatter_block_type) {
  MPI_Comm inter = pair();
  MPI_Reduce_scatter_block(ints, more, 2, OTHER(MPI_INT, MPI_FLOAT), MPI_SUM, inter);
  MPI_Comm_free(&inter);
}
