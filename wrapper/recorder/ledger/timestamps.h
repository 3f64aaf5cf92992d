// SPDX-License-Identifier: MIT
// When calls were made that are not like those before them in their channel, or that begin what is
// repeated (recorder/ledger/ledger.h). In the loop itself nobody looks at a clock.
#ifndef MPIPP_RECORDER_LEDGER_TIMESTAMPS_H
#define MPIPP_RECORDER_LEDGER_TIMESTAMPS_H

#include <stdint.h>

// Of the system's clock, which is that of all processes of a node, in nanoseconds.
uint64_t mpipp_recorder_now(void);
// With the lock held: now the call with that ordinal was made, of the channel with that history.
void mpipp_recorder_time_locked(uint64_t history, uint64_t ordinal);

#endif
