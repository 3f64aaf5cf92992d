// SPDX-License-Identifier: MIT
// Whose turn it is to be looked at: said of each call before anything else is done for it, since
// most operations of a program that communicates a lot are not.
#ifndef MPIPP_BUFFER_GUARD_BUDGET_SAMPLING_H
#define MPIPP_BUFFER_GUARD_BUDGET_SAMPLING_H

#include "buffer_guard/budget/coverage.h"
#include "intercept/hooks.h"

// Whether a call starts an operation that has buffers, or makes a request of one.
int mpipp_guard_turn_is_possible(const struct mpipp_call *call);
// Whether it makes a request that is started later, more than once.
int mpipp_guard_turn_is_persistent(const struct mpipp_call *call);
// Whether the guard has to do with a call that is about to be made: with one that starts an
// operation whose turn it is, and with all while it looks at any. The hook is deaf meanwhile.
int mpipp_guard_turn_comes(struct mpipp_hook *hook, const struct mpipp_call *call);
// The place of such a call, which is about to be looked at; NULL: it is not its turn. With the
// guard's lock.
struct mpipp_cover *mpipp_guard_turn_take(const struct mpipp_call *call);

#endif
