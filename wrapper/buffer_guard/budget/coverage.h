// SPDX-License-Identifier: MIT
// Which operations are looked at, so that it takes no more than a part of the time, and how that
// was counted. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_BUDGET_COVERAGE_H
#define MPIPP_BUFFER_GUARD_BUDGET_COVERAGE_H

#include "registry/guard_coverage.h"
#include "registry/records.h"

// 0 without memory.
int mpipp_guard_coverage_open(void);
// The place that a call is made at; NULL where it is not open.
struct mpipp_cover *mpipp_guard_cover_of(const struct mpipp_call *call);
// Whether there is time for one more operation of it. Places take turns, and so do operations of
// one. Whether a persistent request that is made there is to take turns when it starts.
int mpipp_guard_coverage_affords(const struct mpipp_cover *cover);
int mpipp_guard_coverage_offers(const struct mpipp_cover *cover);

// An operation of a place is looked at. The processor's clock, in its ticks; what was done for a
// place since then is counted.
void mpipp_guard_coverage_begin(struct mpipp_cover *cover);
uint64_t mpipp_guard_ticks(void);
void mpipp_guard_coverage_spend(struct mpipp_cover *cover, uint64_t since);

#endif
