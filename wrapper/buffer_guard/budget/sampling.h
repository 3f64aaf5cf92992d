// SPDX-License-Identifier: MIT
// Decides for each call whether its operation is guarded, before any other work is done for it. In
// a program that communicates a lot, most operations are not guarded.
#ifndef MPIPP_BUFFER_GUARD_BUDGET_SAMPLING_H
#define MPIPP_BUFFER_GUARD_BUDGET_SAMPLING_H

#include "buffer_guard/budget/coverage.h"
#include "intercept/hooks.h"

// Returns whether a call starts an operation with buffers, or creates a request for such an
// operation.
int mpipp_guard_turn_is_possible(const struct mpipp_call *call);
// Returns whether a call creates a request that later calls start, possibly several times.
int mpipp_guard_turn_is_persistent(const struct mpipp_call *call);
// Returns whether the guard has work at a call that is about to be made. It has work if the call
// starts an operation whose turn it is, and at each call while any operation is guarded. Otherwise
// the hook gets no events of requests.
int mpipp_guard_turn_comes(struct mpipp_hook *hook, const struct mpipp_call *call);
// The place of the current call if its operation is to be guarded; NULL if the budget leaves no
// time for it. The caller holds the guard's lock.
struct mpipp_cover *mpipp_guard_turn_take(const struct mpipp_call *call);

#endif
