// SPDX-License-Identifier: MIT
// Counts the operations that are not guarded. For a persistent request, each start counts. The
// caller holds the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_BUDGET_SKIPPED_OPERATIONS_H
#define MPIPP_BUFFER_GUARD_BUDGET_SKIPPED_OPERATIONS_H

#include <stdint.h>

#include "registry/guard_coverage.h"

// Notes that the operation which the thread is about to start, or to create a persistent request
// for, is not guarded. for_time: 1 if guarding would take too long, 0 if mpipp cannot guard it.
void mpipp_guard_skip(struct mpipp_cover *cover, int is_persistent, int for_time);
// Discards the note when the thread makes another call, even if the noted call failed.
void mpipp_guard_skip_forget(void);
// Returns whether the thread's call creates a request that is not guarded. The function below
// passes the handle of that request.
int mpipp_guard_skips(void);
void mpipp_guard_skip_note_request(uint64_t request);
// The number of requests whose starts are counted. The functions note that any request is about to
// be started, or freed.
extern uint32_t mpipp_guard_skip_count __attribute__((visibility("hidden")));
void mpipp_guard_skip_note_start(uint64_t request);
void mpipp_guard_skip_note_free(uint64_t request);

#endif
