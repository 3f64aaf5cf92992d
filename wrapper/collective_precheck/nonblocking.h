// SPDX-License-Identifier: MIT
// Nonblocking and persistent collective calls. They must not wait for each other, so their sums are
// nonblocking, too, and are tested when requests complete.
#ifndef MPIPP_COLLECTIVE_PRECHECK_NONBLOCKING_H
#define MPIPP_COLLECTIVE_PRECHECK_NONBLOCKING_H

#include "collective_precheck/shadow_comms.h"
#include "intercept/hooks.h"

// In a call that has started an operation, in all its processes in the same order.
void mpipp_precheck_nonblocking_begin(const struct mpipp_passage *passage,
                                      const struct mpipp_shadow *shadow);

// Tests the sums that have arrived by now; never waits for others. If one is not zero, the watcher
// compares the started calls. Returns whether there is a new finding. has_completed: an operation
// has, so that its sum has arrived, too, or is about to.
int mpipp_precheck_test_pending_sums(int has_completed);

// Returns whether there are sums that are not complete.
int mpipp_precheck_nonblocking_is_pending(void);

#endif
