// SPDX-License-Identifier: MIT
// Broadcasts, gathers, scatters and all-to-all exchanges.
ROW(bcast_type) {
  MPI_Bcast(OTHER((void *)ints, floats), 2, OTHER(MPI_INT, MPI_FLOAT), 0, comm);
}
ROW(gather_type) {
  MPI_Gather(ints, 2, OTHER(MPI_INT, MPI_FLOAT), more, 2, MPI_INT, 0, comm);
}
ROW(gatherv_type) {
  int counts[2] = {2, 2}, displacements[2] = {0, 2};
  MPI_Gatherv(ints, 2, OTHER(MPI_INT, MPI_FLOAT), more, counts, displacements, MPI_INT, 0, comm);
}
ROW(scatter_type) {
  MPI_Scatter(more, 2, MPI_INT, ints, 2, OTHER(MPI_INT, MPI_FLOAT), 0, comm);
}
ROW(scatterv_type) {
  int counts[2] = {2, 2}, displacements[2] = {0, 2};
  MPI_Scatterv(more, counts, displacements, MPI_INT, ints, 2, OTHER(MPI_INT, MPI_FLOAT), 0, comm);
}
ROW(allgather_type) {
  MPI_Datatype type = OTHER(MPI_INT, MPI_FLOAT);
  MPI_Allgather(ints, 2, type, more, 2, type, comm);
}
ROW(allgather_place) {
  MPI_Allgather(OTHER((void *)ints, MPI_IN_PLACE), 2, MPI_INT, more, 2, MPI_INT, comm);
}
ROW(allgatherv_type) {
  int counts[2] = {2, 2}, displacements[2] = {0, 2};
  MPI_Datatype type = OTHER(MPI_INT, MPI_FLOAT);
  MPI_Allgatherv(ints, 2, type, more, counts, displacements, type, comm);
}
ROW(allgatherv_place) {
  int counts[2] = {2, 2}, displacements[2] = {0, 2};
  MPI_Allgatherv(OTHER((void *)ints, MPI_IN_PLACE), 2, MPI_INT, more, counts, displacements,
                 MPI_INT, comm);
}
ROW(alltoall_type) {
  MPI_Datatype type = OTHER(MPI_INT, MPI_FLOAT);
  MPI_Alltoall(ints, 2, type, more, 2, type, comm);
}
ROW(alltoallv_type) {
  int counts[2] = {2, 2}, displacements[2] = {0, 2};
  MPI_Datatype type = OTHER(MPI_INT, MPI_FLOAT);
  MPI_Alltoallv(ints, counts, displacements, type, more, counts, displacements, type, comm);
}
ROW(alltoallw_type) {
  int counts[2] = {2, 2}, displacements[2] = {0, 8};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT}, other[2] = {OTHER(MPI_INT, MPI_FLOAT), MPI_INT};
  MPI_Alltoallw(ints, counts, displacements, types, more, counts, displacements, other, comm);
}
ROW(bcast_missing) {
  MPI_Barrier(comm);
  if (!differs) MPI_Bcast(ints, 1, MPI_INT, 0, comm);
}
ROW(ibcast_type) {
  MPI_Request request;
  MPI_Ibcast(OTHER((void *)ints, floats), 2, OTHER(MPI_INT, MPI_FLOAT), 0, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
// Libraries survive these wrong roots, because each process only sends.
ROW(gather_root) {
  MPI_Gather(ints, 2, MPI_INT, more, 2, MPI_INT, OTHER(1, 0), comm);
}
ROW(gatherv_root) {
  int counts[2] = {2, 2}, displacements[2] = {0, 2};
  MPI_Gatherv(ints, 2, MPI_INT, more, counts, displacements, MPI_INT, OTHER(1, 0), comm);
}
ROW(scatter_root) {
  MPI_Scatter(more, 2, MPI_INT, ints, 2, MPI_INT, OTHER(0, 1), comm);
}
ROW(scatterv_root) {
  int counts[2] = {2, 2}, displacements[2] = {0, 2};
  MPI_Scatterv(more, counts, displacements, MPI_INT, ints, 2, MPI_INT, OTHER(0, 1), comm);
}
ROW(alltoall_place) {
  MPI_Alltoall(OTHER((void *)ints, MPI_IN_PLACE), 2, MPI_INT, more, 2, MPI_INT, comm);
}
ROW(alltoallv_place) {
  int counts[2] = {2, 2}, displacements[2] = {0, 2};
  MPI_Alltoallv(OTHER((void *)ints, MPI_IN_PLACE), counts, displacements, MPI_INT, more, counts,
                displacements, MPI_INT, comm);
}
ROW(alltoallw_place) {
  int counts[2] = {2, 2}, displacements[2] = {0, 8};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Alltoallw(OTHER((void *)ints, MPI_IN_PLACE), counts, displacements, types, more, counts,
                displacements, types, comm);
}
// Exchanges with large counts, if the library has them.
#if MPI_VERSION < 4
#define MPI_Bcast_c MPI_Bcast
#define MPI_Gather_c MPI_Gather
#define MPI_Allgather_c MPI_Allgather
#define MPI_Allreduce_c MPI_Allreduce
#endif
ROW(bcast_c_type) {
  MPI_Bcast_c(OTHER((void *)ints, floats), 2, OTHER(MPI_INT, MPI_FLOAT), 0, comm);
}
ROW(gather_c_type) {
  MPI_Gather_c(ints, 2, OTHER(MPI_INT, MPI_FLOAT), more, 2, MPI_INT, 0, comm);
}
ROW(allgather_c_place) {
  MPI_Allgather_c(OTHER((void *)ints, MPI_IN_PLACE), 2, MPI_INT, more, 2, MPI_INT, comm);
}
ROW(allreduce_c_op) {
  MPI_Allreduce_c(ints, more, 2, MPI_INT, OTHER(MPI_SUM, MPI_MAX), comm);
}
