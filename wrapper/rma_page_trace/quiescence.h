// SPDX-License-Identifier: MIT
// Decides whether memory may be exchanged now. During the exchange, only the program's own loads
// and stores may use the memory. A store by MPI, a device or the system would be lost. The caller
// holds the guard's lock.
#ifndef MPIPP_RMA_PAGE_TRACE_QUIESCENCE_H
#define MPIPP_RMA_PAGE_TRACE_QUIESCENCE_H

#include "intercept/hooks.h"

// Called before and after each call.
void mpipp_trace_quiet_enter(const struct mpipp_call *call);
void mpipp_trace_quiet_leave(const struct mpipp_call *call);
// Returns whether the pages [low, high) may be exchanged now, judged by the calls so far.
// has_neighbors: 1 if the pages also contain other memory of the program.
int mpipp_trace_is_quiet(uint64_t low, uint64_t high, int has_neighbors);

#endif
