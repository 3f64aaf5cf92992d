// SPDX-License-Identifier: MIT
// Whether an operation fits the datatypes that it reduces.
#ifndef MPIPP_CALL_FILTER_REDUCTION_OPS_H
#define MPIPP_CALL_FILTER_REDUCTION_OPS_H

#include "registry/records.h"

// Whether it is certain: numbers added, multiplied or compared, or an operation of the program's
// own. The rest of the table in MPI-4.1, section 6.9.2, and what accumulates, is the watcher's.
int mpipp_filter_is_plain_reduction(const struct mpipp_call *call, const struct mpipp_object *op);

// Whether a blocking call is like one that was certain to be fine: the same operation and datatype,
// both predefined; and its buffers are apart. [low, high) is their box then.
int mpipp_filter_is_reduced_before(struct mpipp_call *call);
// The call is certain to be fine.
void mpipp_filter_know_reduction(const struct mpipp_call *call);

#endif
