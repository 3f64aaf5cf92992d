// SPDX-License-Identifier: MIT
// Operations that nobody looks at, and how they are counted: those of a persistent request at each
// start. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_BUDGET_SKIPPED_OPERATIONS_H
#define MPIPP_BUFFER_GUARD_BUDGET_SKIPPED_OPERATIONS_H

#include <stdint.h>

#include "registry/guard_coverage.h"

// The call that the thread is about to make starts one of a place, or makes a persistent request
// for such. for_time: since it would take too long; else since nobody can.
void mpipp_guard_leave_out(struct mpipp_cover *cover, int is_persistent, int for_time);
// Another call comes, whatever has become of that one.
void mpipp_guard_skipped_forget(void);
// Whether the thread's call makes such a request; it has made this one.
int mpipp_guard_leaves_out(void);
void mpipp_guard_skipped_made(uint64_t request);
// How many there are of these; any request is about to be started, or freed.
extern uint32_t mpipp_guard_skipped_count __attribute__((visibility("hidden")));
void mpipp_guard_skipped_starts(uint64_t request);
void mpipp_guard_skipped_freed(uint64_t request);

#endif
