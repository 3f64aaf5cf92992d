// SPDX-License-Identifier: MIT
// Communicators with a topology, and what is asked about it.
#ifndef MPIPP_CALL_FILTER_TOPOLOGIES_H
#define MPIPP_CALL_FILTER_TOPOLOGIES_H

#include "call_filter/buffer_bounds.h"

// Whether the communicator has the topology that the call needs.
int mpipp_filter_has_topology(const struct mpipp_call *call, const struct mpipp_comm *comm,
                              struct mpipp_doubt *doubt);

// Whether it has one group, or two, where the call needs that.
int mpipp_filter_has_groups(const struct mpipp_call *call, const struct mpipp_comm *comm,
                            struct mpipp_doubt *doubt);

// Whether it has the rank, the coordinates or the direction that are asked about.
int mpipp_filter_is_in_topology(const struct mpipp_call *call);

// Whether MPI_Dims_create can find the rest: of nnodes, ndims, dims.
int mpipp_filter_are_grid_sizes(const struct mpipp_call *call);

#endif
