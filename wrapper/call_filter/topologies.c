// SPDX-License-Identifier: MIT
#include "call_filter/topologies.h"

#include "call_filter/integer_arguments.h"
#include "registry/registry.h"

enum { OF_TOPOLOGY = 300, OF_GROUPS };

int mpipp_filter_has_topology(const struct mpipp_call *call, const struct mpipp_comm *comm,
                              struct mpipp_doubt *doubt) {
  int fine =
      mpipp_facts[call->procedure].flow != MPIPP_FLOW_EDGES || comm->topology != MPIPP_TOPO_NONE;
  switch (call->procedure) {
  case MPIPP_PROC_Cartdim_get:
  case MPIPP_PROC_Cart_get:
  case MPIPP_PROC_Cart_sub:
  case MPIPP_PROC_Cart_rank:
  case MPIPP_PROC_Cart_coords:
  case MPIPP_PROC_Cart_shift:
    fine = comm->topology == MPIPP_TOPO_CART;
    break;
  case MPIPP_PROC_Graphdims_get:
  case MPIPP_PROC_Graph_get:
  case MPIPP_PROC_Graph_neighbors_count:
  case MPIPP_PROC_Graph_neighbors:
    fine = comm->topology == MPIPP_TOPO_GRAPH;
    break;
  case MPIPP_PROC_Dist_graph_neighbors_count:
  case MPIPP_PROC_Dist_graph_neighbors:
    fine = comm->topology == MPIPP_TOPO_DIST_GRAPH;
    break;
  default:
    break;
  }
  return fine || mpipp_doubt_reason(doubt, OF_TOPOLOGY, comm->topology);
}

int mpipp_filter_has_groups(const struct mpipp_call *call, const struct mpipp_comm *comm,
                            struct mpipp_doubt *doubt) {
  int fine = 1;
  switch (mpipp_facts[call->procedure].operation) {
  case MPIPP_PROC_Scan:
  case MPIPP_PROC_Exscan:
  case MPIPP_PROC_Cart_create:
  case MPIPP_PROC_Cart_map:
  case MPIPP_PROC_Graph_create:
  case MPIPP_PROC_Graph_map:
  case MPIPP_PROC_Dist_graph_create:
  case MPIPP_PROC_Dist_graph_create_adjacent:
  case MPIPP_PROC_Win_create:
  case MPIPP_PROC_Win_create_dynamic:
  case MPIPP_PROC_Win_allocate:
  case MPIPP_PROC_Win_allocate_shared:
  case MPIPP_PROC_File_open:
  case MPIPP_PROC_Intercomm_create:
  case MPIPP_PROC_Comm_create_group:
    fine = !comm->inter;
    break;
  case MPIPP_PROC_Intercomm_merge:
  case MPIPP_PROC_Comm_remote_size:
  case MPIPP_PROC_Comm_remote_group:
    fine = comm->inter != 0;
    break;
  default:
    break;
  }
  return fine || mpipp_doubt_reason(doubt, OF_GROUPS, (uint64_t)comm->inter);
}

// The arguments are nnodes, ndims, dims.
int mpipp_filter_are_grid_sizes(const struct mpipp_call *call) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  int64_t nnodes = mpipp_input_value(&inputs[0], 0), ndims = mpipp_input_value(&inputs[1], 0),
          given = 1;
  if (nnodes < 0 || ndims < 0 || (ndims && !inputs[2].values)) return 0;
  for (int64_t i = 0; i < ndims; i++) {
    int64_t size = mpipp_input_value(&inputs[2], i);
    if (size < 0 || (size && given > nnodes / size)) return 0;
    if (size) given *= size;
  }
  return nnodes % given == 0;
}

static int are_coordinates(const struct mpipp_input *coords, const struct mpipp_comm *comm) {
  const int *dims = (const int *)(uintptr_t)comm->dims;
  const int *periods = (const int *)(uintptr_t)comm->periods;
  for (int i = 0; dims && i < comm->ndims; i++) {
    if (!coords->values) return 0;
    int64_t at = mpipp_input_value(coords, i);
    if (!periods[i] && (at < 0 || at >= dims[i])) return 0;
  }
  return 1;
}

int mpipp_filter_is_in_topology(const struct mpipp_call *call) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  const struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, call->comm);
  if (!comm || comm->topology == MPIPP_TOPO_NONE)
    return 1; // other checks handle a missing
              // communicator or topology
  if (call->procedure == MPIPP_PROC_Cart_rank) return are_coordinates(&inputs[0], comm);
  int64_t given = mpipp_input_value(&inputs[0], 0);
  return given >= 0 &&
         given < (call->procedure == MPIPP_PROC_Cart_shift ? comm->ndims : comm->size);
}
