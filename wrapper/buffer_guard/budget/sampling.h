// SPDX-License-Identifier: MIT
// Decides for each call whether it is guarded, before anything else is done for it. In a program
// that communicates a lot, most operations are not guarded.
#ifndef MPIPP_BUFFER_GUARD_BUDGET_SAMPLING_H
#define MPIPP_BUFFER_GUARD_BUDGET_SAMPLING_H

#include "buffer_guard/budget/coverage.h"
#include "intercept/hooks.h"

// Returns whether a call starts an operation that has buffers, or makes a request of one.
int mpipp_guard_turn_is_possible(const struct mpipp_call *call);
// Returns whether it makes a request that is started later, more than once.
int mpipp_guard_turn_is_persistent(const struct mpipp_call *call);
// Returns whether the guard has work at a call that is about to be made. It has if the call starts
// an operation whose turn it is, and at each call while any operation is guarded. Otherwise the
// hook is deaf.
int mpipp_guard_turn_comes(struct mpipp_hook *hook, const struct mpipp_call *call);
// The place of such a call, which is about to be guarded; NULL: it is not its turn. With the
// guard's lock.
struct mpipp_cover *mpipp_guard_turn_take(const struct mpipp_call *call);

#endif
