// SPDX-License-Identifier: MIT
// A cache for loops of collective calls: it recognizes a call that equals the expected item without
// reading the ledger.
#ifndef MPIPP_RECORDER_LEDGER_REPEAT_CACHE_H
#define MPIPP_RECORDER_LEDGER_REPEAT_CACHE_H

#include "registry/object_store.h"

// If a call that MPI has accepted certainly equals the channel's expected item, notes it and
// returns 1; else returns 0. Works only while one thread alone has called MPI.
int mpipp_recorder_note_repetition(struct mpipp_channel *channel, const struct mpipp_call *call);
// Remembers a call that equals the expected item. place: where the program made the call. The
// caller holds the lock.
void mpipp_recorder_remember_collective(const struct mpipp_channel *channel, uint64_t expected,
                                        const struct mpipp_call *call, uint64_t place);

#endif
