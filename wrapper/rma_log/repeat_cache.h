// SPDX-License-Identifier: MIT
// A cache for calls on windows that loops repeat. If a call resembles an earlier one, not every
// word of its entry has to be written and compared. Each thread has its own cache.
#ifndef MPIPP_RMA_LOG_REPEAT_CACHE_H
#define MPIPP_RMA_LOG_REPEAT_CACHE_H

#include "registry/records.h"
#include "rma_log/log.h"

// Adds the entry of an operation if it resembles the last entry of its place and target. The
// operation must have no request, no values, and only memory that is never freed. Returns 0 if
// nothing was added; otherwise call mpipp_rma_log_end next.
int mpipp_rma_log_repeat_operation(const struct mpipp_call *call);
// Adds the entry of a synchronizing call if it resembles the last one of its place and target. The
// call must have only a window and a target.
int mpipp_rma_log_repeat_synchronization(const struct mpipp_call *call,
                                         const struct mpipp_win *win);
// Remember the entry that was added for such a call, or the entry that the call's entry resembles.
void mpipp_rma_remember_operation(const struct mpipp_call *call, struct mpipp_like like);
void mpipp_rma_remember_synchronization(const struct mpipp_call *call, const struct mpipp_win *win,
                                        struct mpipp_like like);

#endif
