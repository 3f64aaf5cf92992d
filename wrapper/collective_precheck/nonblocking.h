// SPDX-License-Identifier: MIT
// Compares nonblocking and persistent collective calls. Processes must not wait for each other in
// these calls. So their sums are nonblocking reductions, too, which are tested when requests
// complete.
#ifndef MPIPP_COLLECTIVE_PRECHECK_NONBLOCKING_H
#define MPIPP_COLLECTIVE_PRECHECK_NONBLOCKING_H

#include "collective_precheck/shadow_comms.h"
#include "intercept/hooks.h"

// Starts the sum for an operation that the call has started. All processes start such sums in the
// same order.
void mpipp_precheck_nonblocking_begin(const struct mpipp_passage *passage,
                                      const struct mpipp_shadow *shadow);

// Tests pending sums, and never waits for other processes. If a sum is not zero, the watcher
// compares the started calls. Returns whether there is a new finding. has_completed: an operation
// has just completed, so its sum has arrived, or is about to.
int mpipp_precheck_test_pending_sums(int has_completed);

// Returns whether there are sums that have not arrived.
int mpipp_precheck_nonblocking_is_pending(void);

#endif
