// SPDX-License-Identifier: MIT
// Data that a single call moves from one buffer to another: the two must have matching type
// signatures.
#ifndef MPIPP_CALL_FILTER_SELF_TRANSFERS_H
#define MPIPP_CALL_FILTER_SELF_TRANSFERS_H

#include "call_filter/buffer_bounds.h"

// Returns whether the data of a one-sided operation certainly fits its destination, with matching
// types.
int mpipp_filter_fits_target(const struct mpipp_call *call, struct mpipp_doubt *doubt);
// Returns whether in a collective call the data that a process sends to itself certainly matches
// the data that it receives from itself.
int mpipp_filter_fits_itself(const struct mpipp_call *call, const struct mpipp_comm *comm,
                             struct mpipp_doubt *doubt);

#endif
