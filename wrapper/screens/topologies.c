// SPDX-License-Identifier: MIT
#include "screens/topologies.h"

#include "records/registry.h"
#include "screens/values.h"

enum { OF_TOPOLOGY = 300 };

int mpipp_has_topology(const struct mpipp_call *call, const struct mpipp_comm *comm,
                       struct mpipp_doubt *doubt) {
  int fine = mpipp_facts[call->procedure].signatures != MPIPP_SIGNATURES_NEIGHBORS ||
             comm->topology != MPIPP_TOPO_NONE;
  switch (call->procedure) {
  case MPIPP_PROC_Cart_sub:
  case MPIPP_PROC_Cart_rank:
  case MPIPP_PROC_Cart_coords:
  case MPIPP_PROC_Cart_shift:
    fine = comm->topology == MPIPP_TOPO_CART;
    break;
  case MPIPP_PROC_Graph_neighbors:
    fine = comm->topology == MPIPP_TOPO_GRAPH;
    break;
  default:
    break;
  }
  return fine || mpipp_doubted(doubt, OF_TOPOLOGY, comm->topology);
}

// nnodes, ndims, dims
int mpipp_are_grid_sizes(const struct mpipp_call *call) {
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

int mpipp_is_in_topology(const struct mpipp_call *call) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  const struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, call->comm);
  if (!comm || comm->topology == MPIPP_TOPO_NONE) return 1; // another screen's matter
  if (call->procedure == MPIPP_PROC_Cart_rank) return are_coordinates(&inputs[0], comm);
  int64_t given = mpipp_input_value(&inputs[0], 0);
  return given >= 0 &&
         given < (call->procedure == MPIPP_PROC_Cart_shift ? comm->ndims : comm->size);
}
