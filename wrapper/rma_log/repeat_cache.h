// SPDX-License-Identifier: MIT
// Calls on windows that loops repeat: known to be like one before, so that not each word of their
// entries is written and compared. Each thread knows its own.
#ifndef MPIPP_RMA_LOG_REPEAT_CACHE_H
#define MPIPP_RMA_LOG_REPEAT_CACHE_H

#include "registry/records.h"
#include "rma_log/log.h"

// Adds the entry of an operation without request and values, whose memory is never given back, if
// the last one of its place and target was like it; 0: it is to be added as ever. Else
// mpipp_rma_log_end is to follow.
int mpipp_rma_log_operation_again(const struct mpipp_call *call);
// The same of a call that synchronizes, of which there is nothing to say beyond its window and
// target.
int mpipp_rma_log_synchronization_again(const struct mpipp_call *call, const struct mpipp_win *win);
// The entry that was added for such a call is that one, or like it.
void mpipp_rma_know_operation(const struct mpipp_call *call, struct mpipp_like like);
void mpipp_rma_know_synchronization(const struct mpipp_call *call, const struct mpipp_win *win,
                                    struct mpipp_like like);

#endif
