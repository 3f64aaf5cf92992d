// SPDX-License-Identifier: MIT
// The time budget of the guard: selects the operations that are guarded, so that guarding takes
// only a part of the time. Counts guard coverage. The caller holds the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_BUDGET_COVERAGE_H
#define MPIPP_BUFFER_GUARD_BUDGET_COVERAGE_H

#include "registry/guard_coverage.h"
#include "registry/records.h"

// Allocates the table of places. Returns 0 without memory.
int mpipp_guard_coverage_open(void);
// The entry of the place that makes a call; NULL if the table is not open.
struct mpipp_cover *mpipp_guard_cover_of(const struct mpipp_call *call);
// Returns whether the budget allows one more guarded operation of the place. Places take turns,
// and so do the operations of one place. mpipp_guard_coverage_offers returns whether a new
// persistent request of the place takes part in turns when it is started.
int mpipp_guard_coverage_affords(const struct mpipp_cover *cover);
int mpipp_guard_coverage_offers(const struct mpipp_cover *cover);

// Counts the fixed cost of one guarded operation for its place. mpipp_guard_ticks reads the
// processor's clock, and mpipp_guard_coverage_spend counts the time since a reading.
void mpipp_guard_coverage_begin(struct mpipp_cover *cover);
uint64_t mpipp_guard_ticks(void);
void mpipp_guard_coverage_spend(struct mpipp_cover *cover, uint64_t since);

#endif
