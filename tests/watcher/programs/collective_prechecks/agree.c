// SPDX-License-Identifier: MIT
// Collective calls that disagree, each on a communicator of its own. Arguments: a file; "right",
// for calls that agree, or "wrong"; the names of rows of a table. The errors are chosen so that MPI
// libraries survive them.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size, differs; // differs: whether this process makes another call
static MPI_Comm comm;
static int ints[64], more[64];
static float floats[64];

#define ROW(NAME) static void NAME(void)
#define OTHER(RIGHT, WRONG) (differs ? (WRONG) : (RIGHT))

// The rows of the table, by theme.
#include "agree/exchanges.h"
#include "agree/files.h"
#include "agree/intercomms.h"
#include "agree/reductions.h"
#include "agree/topologies.h"

#define ENTRY(NAME)                                                                                \
  { #NAME, NAME }
static const struct {
  const char *name;
  void (*run)(void);
} rows[] = {
    ENTRY(bcast_type),
    ENTRY(gather_type),
    ENTRY(gatherv_type),
    ENTRY(scatter_type),
    ENTRY(scatterv_type),
    ENTRY(allgather_type),
    ENTRY(allgather_place),
    ENTRY(allgatherv_type),
    ENTRY(allgatherv_place),
    ENTRY(alltoall_type),
    ENTRY(alltoall_place),
    ENTRY(alltoallv_type),
    ENTRY(alltoallv_place),
    ENTRY(alltoallw_type),
    ENTRY(alltoallw_place),
    ENTRY(reduce_type),
    ENTRY(reduce_op),
    ENTRY(allreduce_type),
    ENTRY(allreduce_op),
    ENTRY(allreduce_place),
    ENTRY(reduce_scatter_type),
    ENTRY(reduce_scatter_op),
    ENTRY(reduce_scatter_place),
    ENTRY(reduce_scatter_place_type),
    ENTRY(reduce_scatter_block_type),
    ENTRY(reduce_scatter_block_place),
    ENTRY(reduce_scatter_block_place_type),
    ENTRY(reduce_scatter_block_op),
    ENTRY(scan_type),
    ENTRY(scan_op),
    ENTRY(exscan_type),
    ENTRY(exscan_op),
    ENTRY(reduce_own),
    ENTRY(scan_own),
    ENTRY(iallreduce_own),
    ENTRY(exscan_commutes),
    ENTRY(allreduce_predefined),
    ENTRY(bcast_c_type),
    ENTRY(bcast_missing), // a later MPI_Bcast might take its message
    ENTRY(ibcast_type),
    ENTRY(gather_c_type),
    ENTRY(allgather_c_place),
    ENTRY(allreduce_c_op),
    ENTRY(cart_dims),
    ENTRY(cart_periods),
    ENTRY(cart_true),
    ENTRY(cart_reorder),
    ENTRY(graph_edges),
    ENTRY(graph_index),
    ENTRY(graph_nnodes),
    ENTRY(dist_graph_weights),
    ENTRY(dist_graph_reorder),
    ENTRY(adjacent_weights),
    ENTRY(adjacent_reorder),
    ENTRY(adjacent_edges),
    ENTRY(merge_high),
    ENTRY(fence_assert),
    ENTRY(open_amode),
    ENTRY(set_size),
    ENTRY(preallocate),
    ENTRY(view_etype),
    ENTRY(view_datarep),
    ENTRY(atomicity),
    ENTRY(seek_shared),
    ENTRY(neighbor_type),
    ENTRY(neighbor_w_type),
    ENTRY(neighbor_v_type),
    ENTRY(neighbor_all_type),
    ENTRY(neighbor_all_v_type),
    ENTRY(neighbor_twice_type),
    ENTRY(neighbor_twice_w_type),
    ENTRY(create_group),
    ENTRY(inter_bcast_type),
    ENTRY(inter_bcast_missing),
    ENTRY(inter_bcast_root),
    ENTRY(inter_gather_type),
    ENTRY(inter_allgather_type),
    ENTRY(inter_allreduce_op),
    ENTRY(inter_reduce_scatter_type),
    ENTRY(inter_reduce_scatter_block_type),
    ENTRY(file_missing),
    ENTRY(file_order),
    ENTRY(file_split),
    ENTRY(file_all),
    ENTRY(file_ordered),
    // These calls leave messages that a later row might receive.
    ENTRY(gather_root),
    ENTRY(gatherv_root),
    ENTRY(scatter_root),
    ENTRY(scatterv_root),
    ENTRY(reduce_root),
};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  path = argv[1];
  int wrong = strcmp(argv[2], "right") != 0, ran = 0;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int wanted = argc < 4;
    for (int a = 3; a < argc; a++) wanted |= strcmp(argv[a], rows[i].name) == 0;
    if (!wanted) continue;
    differs = wrong && rank == 1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    rows[i].run();
    MPI_Comm_free(&comm);
    ran++;
  }
  if (rank == 0) printf("%d rows\n", ran);
  MPI_Finalize();
  return 0;
}
