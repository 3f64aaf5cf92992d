// SPDX-License-Identifier: MIT
// The log of a process's operations on windows, and of events that order them. The analysis of
// one-sided communication reads it (mpipp/registry/rma_log/events.py). The log is in the records'
// memory, which outlives the process.
#ifndef MPIPP_RMA_LOG_LOG_H
#define MPIPP_RMA_LOG_LOG_H

#include <signal.h>

#include "registry/object_store.h"
#include "registry/records.h"
#include "registry/rma_log_entry.h"

// An earlier entry that a new entry resembles (MPIPP_LOG_LIKE). The earlier entry has all its
// words, and `number` is its ordinal among such entries. All words are equal except for these
// differences.
struct mpipp_like {
  const uint64_t *words; // NULL: there is no such entry
  uint64_t number, changed, count, differences[2];
};

// Begins an entry for a call, with a number of words of its own, and returns their address. The
// caller then calls mpipp_rma_log_end. Returns NULL beyond the limit (MPIPP_RMA_LOG, in bytes):
// then nothing more is logged.
uint64_t *mpipp_rma_log_begin(enum mpipp_logged kind, const struct mpipp_call *call,
                              uint64_t words);
void mpipp_rma_log_end(void);
// Call this function before mpipp_rma_log_end, when all words are written. Returns the earlier
// entry that the new one resembles, for mpipp_rma_log_repeat. The word with that index may differ.
struct mpipp_like mpipp_rma_log_find_like(uint64_t index);
// Adds an entry that equals `like`, except that the word with that index differs by `difference`.
// This function replaces mpipp_rma_log_begin; the caller then calls mpipp_rma_log_end. Returns 0 if
// the caller must use mpipp_rma_log_begin.
int mpipp_rma_log_repeat(const struct mpipp_like *like, uint64_t index, int64_t difference);
// Ends the current entry, and begins another of the same call. Returns NULL without capacity; even
// then, call mpipp_rma_log_end next.
uint64_t *mpipp_rma_log_next(enum mpipp_logged kind, const struct mpipp_call *call, uint64_t words);
// Takes the log's lock, which a thread also holds while it adds an entry. It protects data that
// changes only together with entries.
void mpipp_rma_log_hold(void);
// Begins an entry that belongs to no call.
uint64_t *mpipp_rma_log_begin_at(enum mpipp_logged kind, uint64_t procedure, uint64_t place,
                                 uint64_t words);
// The number of entries begun for calls. Accesses are ordered only relative to these entries.
extern uint64_t mpipp_rma_log_calls MPIPP_HIDDEN;
// 1 while this thread adds an entry outside MPI. A signal handler that interrupts it must add none.
extern __thread volatile sig_atomic_t mpipp_rma_log_is_adding MPIPP_HIDDEN
    __attribute__((tls_model("initial-exec")));
// The number of entries. Until an entry is ended, this is its own number.
uint64_t mpipp_rma_log_count(void);

// This thread in the log. number: from 1; 0: none yet. entries: the number of its entries, except
// those of the order of threads. is_born: 1 if it is ordered after the thread that created it.
struct mpipp_log_thread {
  uint32_t number, entries, is_born;
};
extern __thread struct mpipp_log_thread mpipp_rma_log_thread MPIPP_HIDDEN
    __attribute__((tls_model("initial-exec")));
// The largest number of a thread.
extern uint32_t mpipp_rma_log_thread_count MPIPP_HIDDEN;
// Returns the number for a new thread.
uint32_t mpipp_rma_log_new_thread(void);
// Sets the knowledge of the order of threads (enum mpipp_log_threads). The log gets this knowledge
// with the next entry. A signal handler may call this function.
void mpipp_rma_log_set_order(uint32_t bits);

void mpipp_rma_log_open(void);
// 1 if all windows are treated as having the separate memory model.
extern int mpipp_rma_log_as_separate __attribute__((visibility("hidden")));
// 1 if the analysis looks for races of messages.
extern int mpipp_rma_log_finds_races __attribute__((visibility("hidden")));

#endif
