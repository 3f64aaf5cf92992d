// SPDX-License-Identifier: MIT
// Counts the operations that are not guarded: those of a persistent request at each start. With the
// guard's lock.
#ifndef MPIPP_BUFFER_GUARD_BUDGET_SKIPPED_OPERATIONS_H
#define MPIPP_BUFFER_GUARD_BUDGET_SKIPPED_OPERATIONS_H

#include <stdint.h>

#include "registry/guard_coverage.h"

// The thread is about to start an operation of a place, or to make a persistent request for some.
// The operation is not guarded. for_time: guarding would take too long; else mpipp cannot guard it.
void mpipp_guard_skip(struct mpipp_cover *cover, int is_persistent, int for_time);
// Another call comes, with any result of that one.
void mpipp_guard_skip_forget(void);
// Returns whether the thread's call makes such a request; the call has made this request.
int mpipp_guard_skips(void);
void mpipp_guard_skip_note_request(uint64_t request);
// The number of these requests; and any request is about to be started, or freed.
extern uint32_t mpipp_guard_skip_count __attribute__((visibility("hidden")));
void mpipp_guard_skip_note_start(uint64_t request);
void mpipp_guard_skip_note_free(uint64_t request);

#endif
