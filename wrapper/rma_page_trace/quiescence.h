// SPDX-License-Identifier: MIT
// Decides whether memory may be exchanged. Only the program's own loads and stores may use it
// meanwhile, since a store by another way would be lost. With the guard's lock.
#ifndef MPIPP_RMA_PAGE_TRACE_QUIESCENCE_H
#define MPIPP_RMA_PAGE_TRACE_QUIESCENCE_H

#include "intercept/hooks.h"

// Before and after each call.
void mpipp_trace_quiet_enter(const struct mpipp_call *call);
void mpipp_trace_quiet_leave(const struct mpipp_call *call);
// Returns whether that holds for the pages [low, high) now, as far as the completed calls show.
// has_neighbors: they also contain other memory of the program.
int mpipp_trace_is_quiet(uint64_t low, uint64_t high, int has_neighbors);

#endif
