// SPDX-License-Identifier: MIT
// What a process did on windows, and what orders it, one entry after another: for the analysis of
// one-sided communication (mpipp/registry/rma_log/events.py reads it). It lies in the records'
// memory, which outlives the process.
#ifndef MPIPP_RMA_LOG_LOG_H
#define MPIPP_RMA_LOG_LOG_H

#include <signal.h>

#include "registry/object_store.h"
#include "registry/records.h"
#include "registry/rma_log_entry.h"

// What an entry is like: another that has all its words, which is the `number`th of those, but for
// some words by so much (MPIPP_LOG_LIKE).
struct mpipp_like {
  const uint64_t *words; // NULL: none
  uint64_t number, changed, count, differences[2];
};

// An entry of a call with so many words of its own: where they go. NULL beyond the limit
// (MPIPP_RMA_LOG, in bytes), where nothing more is kept. Else mpipp_rma_log_end is to follow.
uint64_t *mpipp_rma_log_begin(enum mpipp_logged kind, const struct mpipp_call *call,
                              uint64_t words);
void mpipp_rma_log_end(void);
// Between the two, once it has all its words: what it is like, but for its own word with that
// index, if it is not one of many that differ; and for mpipp_rma_log_again.
struct mpipp_like mpipp_rma_log_as(uint64_t index);
// In place of mpipp_rma_log_begin: an entry that is like that, but for that word, which differs
// from like->words by so much. 0: it has to be begun as ever. Else mpipp_rma_log_end is to follow.
int mpipp_rma_log_again(const struct mpipp_like *like, uint64_t index, int64_t difference);
// Between the two: ends that entry and begins another of the same call. NULL if there is no room,
// and then, too, mpipp_rma_log_end is to follow.
uint64_t *mpipp_rma_log_next(enum mpipp_logged kind, const struct mpipp_call *call, uint64_t words);
// What is changed along with entries only: as if one was being added.
void mpipp_rma_log_hold(void);
// The same of what is no call.
uint64_t *mpipp_rma_log_begin_at(enum mpipp_logged kind, uint64_t procedure, uint64_t place,
                                 uint64_t words);
// Entries of calls that have been begun: what is no call has the order of these alone.
extern uint64_t mpipp_rma_log_calls MPIPP_HIDDEN;
// This thread adds an entry outside of MPI: a signal handler that interrupts it must add none.
extern __thread volatile sig_atomic_t mpipp_rma_log_is_adding MPIPP_HIDDEN
    __attribute__((tls_model("initial-exec")));
// Entries that are there: before an entry is ended, its own number.
uint64_t mpipp_rma_log_count(void);

void mpipp_rma_log_open(void);
// Whether all windows are to be taken to have the separate memory model.
extern int mpipp_rma_log_as_separate __attribute__((visibility("hidden")));

#endif
