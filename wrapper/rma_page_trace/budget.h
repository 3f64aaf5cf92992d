// SPDX-License-Identifier: MIT
// The time budget for tracing loads and stores: MPIPP_BUDGET percent of the program's time.
#ifndef MPIPP_RMA_PAGE_TRACE_BUDGET_H
#define MPIPP_RMA_PAGE_TRACE_BUDGET_H

#include <stdint.h>

void mpipp_trace_budget_open(void);
// *pages: the number of open pages that may be protected now within the budget. *steps: the number
// of accesses that may be executed one by one before the next call.
void mpipp_trace_budget_remaining(uint64_t open, uint64_t *pages, int64_t *steps);
// Counts a fault. steps: 1 if a single step with another signal follows.
void mpipp_trace_budget_count_fault(int steps);
// Call mpipp_trace_budget_leave when this thread continues after a call at that place,
// mpipp_trace_budget_spend when it has traced accesses, and mpipp_trace_budget_enter before its
// next call.
void mpipp_trace_budget_leave(uint64_t place);
void mpipp_trace_budget_spend(void);
void mpipp_trace_budget_enter(void);
// The time in nanoseconds, equal in all processes of the machine.
uint64_t mpipp_trace_budget_time(void);

#endif
