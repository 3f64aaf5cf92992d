// SPDX-License-Identifier: MIT
// Selects the operations that are guarded, so that guarding takes only a part of the time, and
// counts guard coverage. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_BUDGET_COVERAGE_H
#define MPIPP_BUFFER_GUARD_BUDGET_COVERAGE_H

#include "registry/guard_coverage.h"
#include "registry/records.h"

// 0 without memory.
int mpipp_guard_coverage_open(void);
// The place of a call; NULL if coverage is not open.
struct mpipp_cover *mpipp_guard_cover_of(const struct mpipp_call *call);
// Returns whether the budget allows one more operation of the place. Places take turns, and so do
// operations of one place. The second returns whether a persistent request of the place is to take
// turns when it starts.
int mpipp_guard_coverage_affords(const struct mpipp_cover *cover);
int mpipp_guard_coverage_offers(const struct mpipp_cover *cover);

// An operation of a place is guarded. The processor's clock, in its ticks. The time since then is
// counted for a place.
void mpipp_guard_coverage_begin(struct mpipp_cover *cover);
uint64_t mpipp_guard_ticks(void);
void mpipp_guard_coverage_spend(struct mpipp_cover *cover, uint64_t since);

#endif
