// SPDX-License-Identifier: MIT
// How much of the time looking at loads and stores may take: MPIPP_BUDGET percent.
#ifndef MPIPP_RMA_PAGE_TRACE_BUDGET_H
#define MPIPP_RMA_PAGE_TRACE_BUDGET_H

#include <stdint.h>

void mpipp_trace_budget_open(void);
// How many of the open pages there is time to forbid now, and how many accesses may be let through
// alone until the next call.
void mpipp_trace_budget_remaining(uint64_t open, uint64_t *pages, int64_t *steps);
// A signal has come; a single step, and another signal, follow.
void mpipp_trace_budget_faulted(int steps);
// This thread goes on after a call at that place; it has looked since then; it comes to the next.
void mpipp_trace_budget_leave(uint64_t place);
void mpipp_trace_budget_spend(void);
void mpipp_trace_budget_enter(void);
// Nanoseconds, the same in all processes of the machine.
uint64_t mpipp_trace_budget_time(void);

#endif
