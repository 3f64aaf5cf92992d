// SPDX-License-Identifier: MIT
// The neighbors of a process in its communicator's topology (MPI-4.1, section 8.6).
#ifndef MPIPP_REGISTRY_TOPOLOGY_NEIGHBORS_H
#define MPIPP_REGISTRY_TOPOLOGY_NEIGHBORS_H

#include "abi/seam.h"
#include "registry/records.h"

MPIPP_SEAM int mpipp_registry_knows_neighbors(const struct mpipp_comm *comm);
// The rank of a neighbor that sends to this process (number < comm->indegree), or that this process
// sends to (number < comm->outdegree). MPI_PROC_NULL if a grid has no neighbor there. Call these
// only if mpipp_registry_knows_neighbors(comm).
MPIPP_SEAM int64_t mpipp_registry_source(const struct mpipp_comm *comm, int32_t number);
MPIPP_SEAM int64_t mpipp_registry_destination(const struct mpipp_comm *comm, int32_t number);

#endif
