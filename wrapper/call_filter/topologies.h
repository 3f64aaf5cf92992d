// SPDX-License-Identifier: MIT
// Checks communicators with a topology, and calls that query it.
#ifndef MPIPP_CALL_FILTER_TOPOLOGIES_H
#define MPIPP_CALL_FILTER_TOPOLOGIES_H

#include "call_filter/buffer_bounds.h"

// Returns whether the communicator has the topology that the call needs.
int mpipp_filter_has_topology(const struct mpipp_call *call, const struct mpipp_comm *comm,
                              struct mpipp_doubt *doubt);

// Returns whether the communicator has one group or two, as the call needs.
int mpipp_filter_has_groups(const struct mpipp_call *call, const struct mpipp_comm *comm,
                            struct mpipp_doubt *doubt);

// Returns whether the rank, the coordinates or the direction in the call exist in the topology.
int mpipp_filter_is_in_topology(const struct mpipp_call *call);

// Returns whether MPI_Dims_create can compute the missing sizes, from nnodes, ndims and dims.
int mpipp_filter_are_grid_sizes(const struct mpipp_call *call);

#endif
