// SPDX-License-Identifier: MIT
#include "loads/budget.h"

#include <stdlib.h>
#include <time.h>

// Nanoseconds: of a page that is forbidden, and opened twice; of an access that is let through; of
// a signal. The program is taken to have run for some time when it begins.
enum { PERCENT = 10, PAGE = 12000, STEP = 25000, SIGNAL = 4000 };
#define HEAD_START 60000000u
enum { SHARE = 4 }; // of what is left then, which is for later, too

static uint64_t spent, percent = PERCENT;

static uint64_t now(clockid_t clock) {
  struct timespec time;
  return clock_gettime(clock, &time) ? 0
                                     : (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void mpipp_budget_open(void) {
  const char *budget = getenv("MPIPP_BUDGET");
  if (budget) percent = strtoull(budget, NULL, 10);
}

// Of the processor's time: a program may be waiting, or others may have the processor.
void mpipp_budget_left(uint64_t open, uint64_t *pages, int64_t *steps) {
  uint64_t used = __atomic_load_n(&spent, __ATOMIC_RELAXED), all = now(CLOCK_PROCESS_CPUTIME_ID);
  uint64_t allowed = ((all > used ? all - used : 0) + HEAD_START) / 100 * percent;
  uint64_t left = allowed > used ? allowed - used : 0;
  *pages = left / PAGE < open ? left / PAGE : open;
  *steps = (int64_t)((left - *pages * PAGE) / SHARE / STEP);
}

void mpipp_budget_faulted(int steps) {
  __atomic_fetch_add(&spent, steps ? STEP : SIGNAL, __ATOMIC_RELAXED);
}

uint64_t mpipp_budget_begin(void) {
  return now(CLOCK_MONOTONIC);
}

void mpipp_budget_spend(uint64_t since) {
  __atomic_fetch_add(&spent, now(CLOCK_MONOTONIC) - since, __ATOMIC_RELAXED);
}
