// SPDX-License-Identifier: MIT
// Whether memory may be exchanged: nobody but the program's own loads and stores must be about to
// use it meanwhile, since a store by another way would be lost. With the guard's lock.
#ifndef MPIPP_RMA_PAGE_TRACE_QUIESCENCE_H
#define MPIPP_RMA_PAGE_TRACE_QUIESCENCE_H

#include "intercept/hooks.h"

// Before and after each call.
void mpipp_trace_quiet_enter(const struct mpipp_call *call);
void mpipp_trace_quiet_leave(const struct mpipp_call *call);
// Whether that is so of the pages [low, high) now, as far as the calls tell that are over; whether
// they have other memory of the program's in them, too.
int mpipp_trace_is_quiet(uint64_t low, uint64_t high, int has_neighbors);

#endif
