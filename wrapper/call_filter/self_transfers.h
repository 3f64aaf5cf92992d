// SPDX-License-Identifier: MIT
// What one call by itself moves from one buffer to another must have the type signature of where it
// goes.
#ifndef MPIPP_CALL_FILTER_SELF_TRANSFERS_H
#define MPIPP_CALL_FILTER_SELF_TRANSFERS_H

#include "call_filter/buffer_bounds.h"

// Whether what a one-sided operation moves is certain to fit where it goes, of the same types.
int mpipp_filter_fits_target(const struct mpipp_call *call, struct mpipp_doubt *doubt);
// Whether what a process sends itself in a collective call is certain to be what it receives.
int mpipp_filter_fits_itself(const struct mpipp_call *call, const struct mpipp_comm *comm,
                             struct mpipp_doubt *doubt);

#endif
