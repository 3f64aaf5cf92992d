// SPDX-License-Identifier: MIT
// Data that a single call moves from one buffer to another must have the type signature of its
// destination.
#ifndef MPIPP_CALL_FILTER_SELF_TRANSFERS_H
#define MPIPP_CALL_FILTER_SELF_TRANSFERS_H

#include "call_filter/buffer_bounds.h"

// Returns whether the data of a one-sided operation certainly fits its destination, with the same
// types.
int mpipp_filter_fits_target(const struct mpipp_call *call, struct mpipp_doubt *doubt);
// Returns whether a process certainly receives what it sends to itself in a collective call.
int mpipp_filter_fits_itself(const struct mpipp_call *call, const struct mpipp_comm *comm,
                             struct mpipp_doubt *doubt);

#endif
