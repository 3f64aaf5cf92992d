// SPDX-License-Identifier: MIT
// The operations of a process on windows, and what orders them, one entry after another: for the
// analysis of one-sided communication (mpipp/registry/rma_log/events.py reads it). The log is in
// the records' memory, which outlives the process.
#ifndef MPIPP_RMA_LOG_LOG_H
#define MPIPP_RMA_LOG_LOG_H

#include <signal.h>

#include "registry/object_store.h"
#include "registry/records.h"
#include "registry/rma_log_entry.h"

// An earlier entry that an entry is like (MPIPP_LOG_LIKE). The earlier one has all its words, and
// is the `number`th of those. Some words differ by these amounts.
struct mpipp_like {
  const uint64_t *words; // NULL: none
  uint64_t number, changed, count, differences[2];
};

// Begins an entry of a call with so many words of its own, and returns their address. NULL beyond
// the limit (MPIPP_RMA_LOG, in bytes): then nothing more is kept. Otherwise call mpipp_rma_log_end
// next.
uint64_t *mpipp_rma_log_begin(enum mpipp_logged kind, const struct mpipp_call *call,
                              uint64_t words);
void mpipp_rma_log_end(void);
// Between the two, once all words are written: the entry that it is like. The own word with that
// index may differ, unless many do. For mpipp_rma_log_repeat.
struct mpipp_like mpipp_rma_log_find_like(uint64_t index);
// In place of mpipp_rma_log_begin: an entry that is like that one, except for that word, which
// differs from like->words by this. 0: it has to be begun as usual. Otherwise call
// mpipp_rma_log_end next.
int mpipp_rma_log_repeat(const struct mpipp_like *like, uint64_t index, int64_t difference);
// Between the two: ends that entry and begins another of the same call. NULL without capacity, but
// then, too, call mpipp_rma_log_end next.
uint64_t *mpipp_rma_log_next(enum mpipp_logged kind, const struct mpipp_call *call, uint64_t words);
// For data that changes only along with entries: takes the lock of an entry.
void mpipp_rma_log_hold(void);
// Begins an entry that belongs to no call.
uint64_t *mpipp_rma_log_begin_at(enum mpipp_logged kind, uint64_t procedure, uint64_t place,
                                 uint64_t words);
// Number of entries of calls that have been begun: other entries are only ordered among themselves.
extern uint64_t mpipp_rma_log_calls MPIPP_HIDDEN;
// This thread adds an entry outside MPI: a signal handler that interrupts it must add none.
extern __thread volatile sig_atomic_t mpipp_rma_log_is_adding MPIPP_HIDDEN
    __attribute__((tls_model("initial-exec")));
// Number of entries: before an entry is ended, its own number.
uint64_t mpipp_rma_log_count(void);

void mpipp_rma_log_open(void);
// 1 if all windows are treated as having the separate memory model.
extern int mpipp_rma_log_as_separate __attribute__((visibility("hidden")));

#endif
