// SPDX-License-Identifier: MIT
// How much of the program's time loads and stores of windows may take.
#ifndef MPIPP_ONESIDED_BUDGET_H
#define MPIPP_ONESIDED_BUDGET_H

#include <stdint.h>

void mpipp_budget_open(void);
// How many of the pages that are open may be forbidden now, and in how many more accesses they may
// stay so.
void mpipp_budget_left(uint64_t open, uint64_t *pages, int64_t *steps);
// A signal was handled; steps: another follows.
void mpipp_budget_faulted(int steps);
// The time, and what was done since then.
uint64_t mpipp_budget_begin(void);
void mpipp_budget_spend(uint64_t since);

#endif
