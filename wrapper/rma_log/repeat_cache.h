// SPDX-License-Identifier: MIT
// Calls on windows that loops repeat. Each is recognized as like an earlier one, so that not every
// word of its entry has to be written and compared. Each thread has its own cache.
#ifndef MPIPP_RMA_LOG_REPEAT_CACHE_H
#define MPIPP_RMA_LOG_REPEAT_CACHE_H

#include "registry/records.h"
#include "rma_log/log.h"

// Adds the entry of an operation without request and values, whose memory is never freed. The last
// entry of its place and target must be like it; otherwise returns 0, and the entry has to be added
// as usual. After success call mpipp_rma_log_end.
int mpipp_rma_log_repeat_operation(const struct mpipp_call *call);
// Likewise for a call that synchronizes, whose only facts are its window and target.
int mpipp_rma_log_repeat_synchronization(const struct mpipp_call *call,
                                         const struct mpipp_win *win);
// The entry that was added for such a call is this one, or like it.
void mpipp_rma_remember_operation(const struct mpipp_call *call, struct mpipp_like like);
void mpipp_rma_remember_synchronization(const struct mpipp_call *call, const struct mpipp_win *win,
                                        struct mpipp_like like);

#endif
