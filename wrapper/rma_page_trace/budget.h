// SPDX-License-Identifier: MIT
// The share of the time that tracing loads and stores may take: MPIPP_BUDGET percent.
#ifndef MPIPP_RMA_PAGE_TRACE_BUDGET_H
#define MPIPP_RMA_PAGE_TRACE_BUDGET_H

#include <stdint.h>

void mpipp_trace_budget_open(void);
// The number of open pages that the budget allows to protect now. Also the number of accesses that
// may be let through one by one until the next call.
void mpipp_trace_budget_remaining(uint64_t open, uint64_t *pages, int64_t *steps);
// A signal has come; a single step, and another signal, follow.
void mpipp_trace_budget_count_fault(int steps);
// This thread continues after a call at that place; it has traced since then; it comes to the next
// call.
void mpipp_trace_budget_leave(uint64_t place);
void mpipp_trace_budget_spend(void);
void mpipp_trace_budget_enter(void);
// Nanoseconds, equal in all processes of the machine.
uint64_t mpipp_trace_budget_time(void);

#endif
