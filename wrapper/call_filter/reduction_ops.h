// SPDX-License-Identifier: MIT
// Checks that an operation fits the datatypes that it reduces.
#ifndef MPIPP_CALL_FILTER_REDUCTION_OPS_H
#define MPIPP_CALL_FILTER_REDUCTION_OPS_H

#include "registry/records.h"

// Returns whether it is certain: numbers that are added, multiplied or compared, or an operation of
// the program's own. The watcher checks the rest of the table in MPI-4.1, section 6.9.2, and
// accumulates.
int mpipp_filter_is_plain_reduction(const struct mpipp_call *call, const struct mpipp_object *op);

// Returns whether a blocking call equals one that was certain to be valid: the same operation and
// datatype, both predefined; and its buffers are disjoint. [low, high) is their box then.
int mpipp_filter_is_repeated_reduction(struct mpipp_call *call);
// The call is certain to be valid.
void mpipp_filter_remember_reduction(const struct mpipp_call *call);

#endif
