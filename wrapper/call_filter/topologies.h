// SPDX-License-Identifier: MIT
// Communicators with a topology, and calls that query it.
#ifndef MPIPP_CALL_FILTER_TOPOLOGIES_H
#define MPIPP_CALL_FILTER_TOPOLOGIES_H

#include "call_filter/buffer_bounds.h"

// Returns whether the communicator has the topology that the call needs.
int mpipp_filter_has_topology(const struct mpipp_call *call, const struct mpipp_comm *comm,
                              struct mpipp_doubt *doubt);

// Returns whether it has one group, or two, if the call needs that.
int mpipp_filter_has_groups(const struct mpipp_call *call, const struct mpipp_comm *comm,
                            struct mpipp_doubt *doubt);

// Returns whether it has the rank, the coordinates or the direction of the call.
int mpipp_filter_is_in_topology(const struct mpipp_call *call);

// Returns whether MPI_Dims_create can find the missing sizes, for nnodes, ndims, dims.
int mpipp_filter_are_grid_sizes(const struct mpipp_call *call);

#endif
