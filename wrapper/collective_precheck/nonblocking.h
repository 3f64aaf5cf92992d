// SPDX-License-Identifier: MIT
// Nonblocking and persistent collective calls: they must not wait for each other, so that their
// sums are nonblocking too, and looked at where requests complete.
#ifndef MPIPP_COLLECTIVE_PRECHECK_NONBLOCKING_H
#define MPIPP_COLLECTIVE_PRECHECK_NONBLOCKING_H

#include "collective_precheck/shadow_comms.h"
#include "intercept/hooks.h"

// In a call that has started an operation, in all its processes in the same order.
void mpipp_precheck_later_begin(const struct mpipp_passage *passage,
                                const struct mpipp_shadow *shadow);

// Looks at the sums that are there by now; never waits for others. Where one does not vanish the
// watcher compares what has been started. Returns whether it has found something new.
// has_completed: an operation has, so that its sum is there, too, or is about to be.
int mpipp_precheck_later_look(int has_completed);

// Whether there are sums that are not complete.
int mpipp_precheck_later_is_pending(void);

#endif
