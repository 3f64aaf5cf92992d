// SPDX-License-Identifier: MIT
// The times of calls that differ from the previous calls in their channel, or that begin a
// repetition (recorder/ledger/ledger.h). For other calls in a loop the clock is not read.
#ifndef MPIPP_RECORDER_LEDGER_TIMESTAMPS_H
#define MPIPP_RECORDER_LEDGER_TIMESTAMPS_H

#include <stdint.h>

// The time of the monotonic clock, which is equal in all processes of a node, in nanoseconds.
uint64_t mpipp_recorder_now(void);
// Keeps the present time for the call with that ordinal, in the channel with that history. The
// caller holds the lock.
void mpipp_recorder_time_locked(uint64_t history, uint64_t ordinal);

#endif
