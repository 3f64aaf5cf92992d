// SPDX-License-Identifier: MIT
// Checks that an operation fits the datatypes that it reduces.
#ifndef MPIPP_CALL_FILTER_REDUCTION_OPS_H
#define MPIPP_CALL_FILTER_REDUCTION_OPS_H

#include "registry/records.h"

// Returns whether the operation certainly fits: it adds, multiplies or compares numbers, or is the
// program's own. The watcher checks the other cases of the table in MPI-4.1, section 6.9.2, and
// accumulates.
int mpipp_filter_is_plain_reduction(const struct mpipp_call *call, const struct mpipp_object *op);

// Returns whether a blocking call equals one that was certainly valid, with the same predefined
// operation and datatype, and its buffers are disjoint. Then [low, high) of the call is their box.
int mpipp_filter_is_repeated_reduction(struct mpipp_call *call);
// Remembers a call that is certainly valid.
void mpipp_filter_remember_reduction(const struct mpipp_call *call);

#endif
