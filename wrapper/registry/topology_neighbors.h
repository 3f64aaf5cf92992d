// SPDX-License-Identifier: MIT
// The neighbors of a process in its communicator's topology (MPI-4.1, section 8.6).
#ifndef MPIPP_REGISTRY_TOPOLOGY_NEIGHBORS_H
#define MPIPP_REGISTRY_TOPOLOGY_NEIGHBORS_H

#include "abi/seam.h"
#include "registry/records.h"

MPIPP_SEAM int mpipp_registry_knows_neighbors(const struct mpipp_comm *comm);
// The rank of one that it gets data of, by a number below comm->indegree, or sends data to, below
// comm->outdegree; MPI_PROC_NULL: none is there. They are known.
MPIPP_SEAM int64_t mpipp_registry_source(const struct mpipp_comm *comm, int32_t number);
MPIPP_SEAM int64_t mpipp_registry_destination(const struct mpipp_comm *comm, int32_t number);

#endif
