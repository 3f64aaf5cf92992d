// SPDX-License-Identifier: MIT
// The times of calls that differ from those before them in their channel, or that begin a
// repetition (recorder/ledger/ledger.h). Calls within a loop read no clock.
#ifndef MPIPP_RECORDER_LEDGER_TIMESTAMPS_H
#define MPIPP_RECORDER_LEDGER_TIMESTAMPS_H

#include <stdint.h>

// The time of the system's clock, which all processes of a node share, in nanoseconds.
uint64_t mpipp_recorder_now(void);
// With the lock held: the call with that ordinal is made now, in the channel with that history.
void mpipp_recorder_time_locked(uint64_t history, uint64_t ordinal);

#endif
