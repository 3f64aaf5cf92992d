// SPDX-License-Identifier: MIT
// A cache for loops of collective calls: a call that equals the expected one is noted without a
// look into the ledger.
#ifndef MPIPP_RECORDER_LEDGER_REPEAT_CACHE_H
#define MPIPP_RECORDER_LEDGER_REPEAT_CACHE_H

#include "registry/object_store.h"

// Returns whether a call that MPI has accepted is certain to be as expected in its channel; then it
// is noted. Only if one thread alone has called MPI.
int mpipp_recorder_note_repetition(struct mpipp_channel *channel, const struct mpipp_call *call);
// With the lock held: remembers a call that equals the expected item. place: where the program
// called.
void mpipp_recorder_remember_collective(const struct mpipp_channel *channel, uint64_t expected,
                                        const struct mpipp_call *call, uint64_t place);

#endif
