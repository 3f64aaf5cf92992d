// SPDX-License-Identifier: MIT
// Loops of collective calls: one that is like the one which the ledger expects is noted without
// looking at what it keeps of them.
#ifndef MPIPP_RECORDER_LEDGER_REPEAT_CACHE_H
#define MPIPP_RECORDER_LEDGER_REPEAT_CACHE_H

#include "registry/object_store.h"

// Whether a call that MPI has accepted is certain to be as expected in its channel; it is noted
// then. Where one thread alone has called MPI.
int mpipp_recorder_noted_again(struct mpipp_channel *channel, const struct mpipp_call *call);
// With the lock held: a call was as expected: like that item. place: where the program called.
void mpipp_recorder_may_come_again(const struct mpipp_channel *channel, uint64_t expected,
                                   const struct mpipp_call *call, uint64_t place);

#endif
