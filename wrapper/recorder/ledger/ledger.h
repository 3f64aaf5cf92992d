// SPDX-License-Identifier: MIT
// The ledger: the call history that is kept of each channel (channels.h). It has the messages sent
// and received and the collective calls, by ordinal.
//
// A channel's history is a list of items, each of one or more words (u64), in pages:
//   a call       its arguments, as far as they matter to other processes (mpipp_item_call in
//                ledger.c);
//   a run        each of the next n calls equals the call p before it;
//   an ordinal   the ordinal of the next call: those in between are not kept, or the next calls
//                replace earlier items with these ordinals.
// The current run is not written yet: the channel's count gives its length. So a loop of 10^6
// iterations costs a few comparisons each time, and a few hundred bytes in all.
#ifndef MPIPP_RECORDER_LEDGER_LEDGER_H
#define MPIPP_RECORDER_LEDGER_LEDGER_H

#include "abi/seam.h"
#include "registry/object_store.h"

// The first word of a call: its kind, the number of its words, the number of buffers, the
// procedure.
#define MPIPP_ITEM_HEAD(WORDS, BUFFERS, PROCEDURE)                                                 \
  ((uint64_t)MPIPP_ITEM_CALL | (uint64_t)(WORDS) << 8 | (uint64_t)(BUFFERS) << 32 |                \
   (uint64_t)(PROCEDURE) << 40)
// The words of a call with one buffer, and their positions. Two more may follow the third and the
// last one: the place that started a persistent operation, and the number of peers.
enum {
  MPIPP_ONE_BUFFER = 6,
  MPIPP_AT_RECORD = 4,
  MPIPP_AT_COUNT = 5,
  MPIPP_MOST_WORDS = MPIPP_ONE_BUFFER + 2,
};

// One of so many repeated calls has its time kept, if no other thread holds the lock.
enum { MPIPP_TIMED = 64 };

// The place of the program's call. Without the lock, because it may ask the system's loader.
MPIPP_SEAM uint64_t mpipp_recorder_place(const struct mpipp_call *call);

// Notes a send or a receive of that buffer as the next call in a channel. The caller then raises
// the channel's count. The first function is out of line, the second needs the lock.
void mpipp_recorder_note_slow(struct mpipp_channel *channel, const struct mpipp_call *call,
                              const struct mpipp_buffer *buffer) MPIPP_COLD;
void mpipp_recorder_note_locked(struct mpipp_comm *comm, struct mpipp_channel *channel,
                                const struct mpipp_call *call, uint64_t place,
                                const struct mpipp_buffer *buffer);
// Notes a collective call that MPI has accepted, with its ordinal: before that, its arrays may be
// invalid. Returns the item that was expected there, if the call equals it; else 0.
uint64_t mpipp_recorder_note_collective_locked(struct mpipp_comm *comm,
                                               struct mpipp_channel *channel,
                                               const struct mpipp_call *call, uint64_t place);
// Notes a call on a window or a file, whose channel has a history from the start. The call is the
// next one, and the caller raises the count.
int mpipp_recorder_note_open_locked(struct mpipp_comm *comm, struct mpipp_channel *channel);
void mpipp_recorder_note_object_call_locked(struct mpipp_channel *channel,
                                            const struct mpipp_call *call, uint64_t place);
// With the lock held, for MPIPP_TURNS: so many consecutive calls on the communicator with that
// identity. They look like a call with this root and tag.
void mpipp_recorder_note_turn_locked(struct mpipp_comm *world, struct mpipp_channel *channel,
                                     uint64_t identity, uint64_t calls);
// With the lock held, of MPIPP_STEPS (recorder/matching/call_order.h): notes a step. It looks like
// a call of that procedure, whose root, operation and tag are the numbers.
void mpipp_recorder_note_step_locked(struct mpipp_comm *world, struct mpipp_channel *channel,
                                     unsigned procedure, uint64_t place, const uint64_t numbers[3]);
// With the lock held: a receive that was counted before, with that ordinal.
void mpipp_recorder_note_receive_locked(struct mpipp_comm *comm, struct mpipp_channel *channel,
                                        const struct mpipp_call *call, uint64_t place,
                                        uint64_t ordinal);
// With the lock held: the words of a send or receive. The second function notes them as the next
// call of a held channel (wildcard_receives.h), after those that are certain.
void mpipp_recorder_words_locked(uint64_t *words, const struct mpipp_call *call, uint64_t place,
                                 const struct mpipp_buffer *buffer);
void mpipp_recorder_note_settled_call_locked(struct mpipp_comm *comm, struct mpipp_channel *channel,
                                             const uint64_t *words);
// From now on the channel's receives are noted late, or not at all.
void mpipp_recorder_hold_channel(struct mpipp_channel *channel);
void mpipp_recorder_release_channel(struct mpipp_channel *channel);

// With the lock held: sets the outcome of a collective call that was noted when it started.
void mpipp_recorder_note_outcome_locked(struct mpipp_comm *comm, struct mpipp_channel *channel,
                                        const struct mpipp_call *call, uint64_t place);
// With the lock held: no further collective call is noted.
void mpipp_recorder_note_end_locked(struct mpipp_channel *channel);

// With the lock held: the next counted calls are not noted, or replace others.
void mpipp_recorder_note_gap_locked(struct mpipp_channel *channel);

// Advances to the item after that ordinal, in a run with a period of more than one.
void mpipp_recorder_note_advance(struct mpipp_channel *channel, uint64_t ordinal) MPIPP_COLD;

// The bytes that the ledger may take; 0: nothing is kept, and no call is ever expected.
extern uint64_t mpipp_recorder_ledger_limit MPIPP_HIDDEN;

// In line: nearly always the call equals the run's. The comparison does not notice if one place
// calls several procedures, as through a pointer.
static inline __attribute__((always_inline)) void
mpipp_perturb_note(struct mpipp_channel *channel, const struct mpipp_call *call,
                   const struct mpipp_buffer *buffer) {
  const uint64_t *expected = (const uint64_t *)(uintptr_t)MPIPP_READ(channel->expected);
  if (MPIPP_UNLIKELY(expected[1] != call->caller || expected[MPIPP_AT_RECORD] != buffer->record ||
                     expected[MPIPP_AT_COUNT] != (uint64_t)buffer->count)) {
    if (mpipp_recorder_ledger_limit) mpipp_recorder_note_slow(channel, call, buffer);
  } else if (MPIPP_UNLIKELY(channel->period != 1))
    mpipp_recorder_note_advance(channel, MPIPP_READ(channel->count) + 1);
}

// An item that equals no call. A channel has it as its next item if it expects no call.
extern const uint64_t mpipp_recorder_no_item[MPIPP_ONE_BUFFER] MPIPP_HIDDEN;

// The ledger's limit, from MPIPP_LEDGER.
void mpipp_recorder_ledger_open(void);

#endif
