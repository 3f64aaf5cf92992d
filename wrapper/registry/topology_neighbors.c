// SPDX-License-Identifier: MIT
#include "registry/topology_neighbors.h"

#include "abi/vendor.h"

int mpipp_registry_knows_neighbors(const struct mpipp_comm *comm) {
  return comm->topology == MPIPP_TOPO_CART ? comm->dims != 0 : comm->sources != 0;
}

// The neighbor of a process in one dimension of its grid, in direction `step`.
static int64_t grid_neighbor(const struct mpipp_comm *comm, int dimension, int step) {
  const int *dims = (const int *)(uintptr_t)comm->dims;
  const int *periods = (const int *)(uintptr_t)comm->periods;
  const int *coords = (const int *)(uintptr_t)comm->coords;
  int at = coords[dimension] + step, size = dims[dimension], stride = 1;
  if ((at < 0 || at >= size) && !periods[dimension]) return MPI_PROC_NULL;
  // In the numbering of ranks, the last dimension varies fastest (MPI-4.1, section 8.2).
  for (int i = dimension + 1; i < comm->ndims; i++) stride *= dims[i];
  return comm->rank + ((at + size) % size - coords[dimension]) * (int64_t)stride;
}

static int64_t neighbor(const struct mpipp_comm *comm, uint64_t ranks, int32_t number) {
  if (comm->topology == MPIPP_TOPO_CART)
    return grid_neighbor(comm, number / 2, number % 2 ? 1 : -1);
  return ((const int32_t *)(uintptr_t)ranks)[number];
}

int64_t mpipp_registry_source(const struct mpipp_comm *comm, int32_t number) {
  return neighbor(comm, comm->sources, number);
}

int64_t mpipp_registry_destination(const struct mpipp_comm *comm, int32_t number) {
  return neighbor(comm, comm->destinations, number);
}
