// SPDX-License-Identifier: MIT
// Mistakes of mistakes.c in collective calls: the data that a process sends itself does not match.
#ifndef MISTAKEN_OWN_PARTS_H
#define MISTAKEN_OWN_PARTS_H

#define ITSELF(sent, received)                                                                     \
  "length-mismatch: a process sends itself " sent ", but receives " received
#define OTHER(at, sent, received)                                                                  \
  "type-mismatch: the data that a process sends itself do not match the data that it "             \
  "receives, " at ": " sent " and " received

static void own_parts(void) {
  MPI_Datatype two, mixed, types[] = {MPI_INT, MPI_FLOAT}, own[1];
  MPI_Comm ring;
  const int counts[] = {3}, fewer[] = {2}, none[] = {0};
  MPI_Type_contiguous(2, MPI_INT, &two);
  MPI_Type_create_struct(2, (int[]){2, 1}, (MPI_Aint[]){0, 8}, types, &mixed);
  MPI_Type_commit(&two);
  MPI_Type_commit(&mixed);
  own[0] = two;
  WRONG(ITSELF("2 elements", "only 1"), MPI_Allgather(out, 2, MPI_INT, in, 1, MPI_INT, comm));
  WRONG(ITSELF("only 2 elements", "4"), MPI_Allgather(out, 1, two, in, 4, MPI_INT, comm));
  WRONG(OTHER("at the first element", "MPI_FLOAT", "MPI_INT"),
        MPI_Allgather(out, 2, MPI_FLOAT, in, 1, two, comm));
  WRONG(OTHER("after 2 elements", "MPI_INT", "MPI_FLOAT"),
        MPI_Allgather(out, 3, MPI_INT, in, 1, mixed, comm));
  WRONG(ITSELF("only 2 elements", "3"),
        MPI_Allgatherv(out, 2, MPI_INT, in, counts, none, MPI_INT, comm));
  WRONG(ITSELF("only 1 element", "2"), MPI_Gather(out, 1, MPI_INT, in, 2, MPI_INT, 0, comm));
  WRONG(ITSELF("4 elements", "only 3"),
        MPI_Gatherv(out, 2, two, in, counts, none, MPI_INT, 0, comm));
  WRONG(ITSELF("2 elements", "only 0"), MPI_Scatter(out, 2, MPI_INT, in, 0, MPI_INT, 0, comm));
  WRONG(OTHER("at the first element", "MPI_INT", "MPI_BYTE"),
        MPI_Scatterv(out, counts, none, MPI_INT, in, 12, MPI_BYTE, 0, comm));
  WRONG(ITSELF("only 2 elements", "3"), MPI_Alltoall(out, 1, two, in, 3, MPI_INT, comm));
  WRONG(ITSELF("3 elements", "only 2"),
        MPI_Alltoallv(out, counts, none, MPI_INT, in, fewer, none, MPI_INT, comm));
  WRONG(ITSELF("6 elements", "only 4"),
        MPI_Alltoallw(out, counts, none, own, in, fewer, none, own, comm));
  WRONG(ITSELF("2 elements", "only 1"),
        MPI_Iallgather(out, 2, MPI_INT, in, 1, MPI_INT, comm, &request));
  WRONG(ITSELF("3 elements", "only 2"),
        MPI_Igatherv(out, 3, MPI_INT, in, fewer, none, MPI_INT, 0, comm, &request));
#if MPI_VERSION >= 4
  WRONG(ITSELF("2 elements", "only 1"),
        MPI_Scatter_init(out, 2, MPI_INT, in, 1, MPI_INT, 0, comm, MPI_INFO_NULL, &request));
  WRONG(ITSELF("2 elements", "only 1"), MPI_Allgather_c(out, 2, MPI_INT, in, 1, MPI_INT, comm));
#endif
  RIGHT(MPI_Allgather(out, 1, two, in, 2, MPI_INT, comm));
  RIGHT(MPI_Allgather(MPI_IN_PLACE, 7, MPI_FLOAT, in, 2, MPI_INT, comm));
  RIGHT(MPI_Gather(MPI_IN_PLACE, 7, MPI_FLOAT, in, 2, MPI_INT, 0, comm));
  RIGHT(MPI_Scatter(out, 2, MPI_INT, MPI_IN_PLACE, 7, MPI_FLOAT, 0, comm));
  RIGHT(MPI_Gatherv(out, 2, two, in, (int[]){4}, none, MPI_INT, 0, comm));
  RIGHT(MPI_Alltoallw(out, fewer, none, own, in, (int[]){4}, none, types, comm));
  RIGHT(MPI_Alltoallw(out, none, none, own, in, none, none, types + 1, comm));
  RIGHT(MPI_Allgather(out, 0, MPI_FLOAT, in, 0, MPI_INT, comm));
  RIGHT(MPI_Scatter(out, 8, MPI_PACKED, in, 2, MPI_INT, 0, comm));

  // Both neighbors of the process, to the right and to the left, are the process itself.
  MPI_Cart_create(comm, 1, (int[]){1}, (int[]){1}, 0, &ring);
  WRONG(ITSELF("2 elements", "only 1"),
        MPI_Neighbor_allgather(out, 2, MPI_INT, in, 1, MPI_INT, ring));
  RIGHT(MPI_Neighbor_allgather(out, 2, MPI_INT, in, 1, two, ring));
  MPI_Comm_free(&ring);
  MPI_Type_free(&two);
  MPI_Type_free(&mixed);
}

#endif
