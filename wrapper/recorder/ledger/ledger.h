// SPDX-License-Identifier: MIT
// The past that is kept: what was sent, received or joined in each channel (channels.h), by
// ordinal.
//
// A channel's history is a list of items, each of one or more words (u64), in pages:
//   a call       what it was given, as far as it matters to others (mpipp_item_call in ledger.c);
//   a run        the next n calls are, each, like the one p before it;
//   an ordinal   that of the next call: those in between are not kept, or the next ones replace
//                those that were said of these ordinals before.
// The run that goes on is not written yet: the channel's count says how long it is. So a loop of
// 10^6 iterations costs a few comparisons each time, and a few hundred bytes in all.
#ifndef MPIPP_RECORDER_LEDGER_LEDGER_H
#define MPIPP_RECORDER_LEDGER_LEDGER_H

#include "registry/object_store.h"

// The first word of a call: its kind, how many words it has, how many buffers, and the procedure.
#define MPIPP_ITEM_HEAD(WORDS, BUFFERS, PROCEDURE)                                                 \
  ((uint64_t)MPIPP_ITEM_CALL | (uint64_t)(WORDS) << 8 | (uint64_t)(BUFFERS) << 32 |                \
   (uint64_t)(PROCEDURE) << 40)
// Words of a call with one buffer, and where they stand. Two more may follow the third and the last
// one: the place that started a persistent operation, and the number of peers.
enum {
  MPIPP_ONE_BUFFER = 6,
  MPIPP_AT_RECORD = 4,
  MPIPP_AT_COUNT = 5,
  MPIPP_MOST_WORDS = MPIPP_ONE_BUFFER + 2,
};

// Of so many calls that are repeated the time of one is kept, if nothing is in line.
enum { MPIPP_TIMED = 64 };

// Where the program called: without the lock, because it may ask the system's loader.
uint64_t mpipp_recorder_place(const struct mpipp_call *call);

// A send or a receive of that buffer is the next in a channel, whose count the caller raises then;
// out of line, and with the lock held.
void mpipp_recorder_note_slow(struct mpipp_channel *channel, const struct mpipp_call *call,
                              const struct mpipp_buffer *buffer) MPIPP_COLD;
void mpipp_recorder_note_locked(struct mpipp_comm *comm, struct mpipp_channel *channel,
                                const struct mpipp_call *call, uint64_t place,
                                const struct mpipp_buffer *buffer);
// The same of a collective call that MPI has accepted, with its ordinal: before, its arrays may be
// anything. Returns the item that was expected there, if it is like that; else 0.
uint64_t mpipp_recorder_note_collective_locked(struct mpipp_comm *comm,
                                               struct mpipp_channel *channel,
                                               const struct mpipp_call *call, uint64_t place);
// The same of one on a window or a file, whose channel has a history from the start: it is the
// next, and the caller raises the count.
int mpipp_recorder_note_open_locked(struct mpipp_comm *comm, struct mpipp_channel *channel);
void mpipp_recorder_note_together_locked(struct mpipp_channel *channel,
                                         const struct mpipp_call *call, uint64_t place);
// With the lock held, of MPIPP_TURNS: so many calls on the communicator of that identity came one
// after the other. They look like a call whose root and tag these are.
void mpipp_recorder_note_turn_locked(struct mpipp_comm *world, struct mpipp_channel *channel,
                                     uint64_t identity, uint64_t calls);
// With the lock held: a receive that was counted before, with that ordinal.
void mpipp_recorder_note_late_locked(struct mpipp_comm *comm, struct mpipp_channel *channel,
                                     const struct mpipp_call *call, uint64_t place,
                                     uint64_t ordinal);
// With the lock held: the words of a send or receive; that it is the next, of a channel that is
// held (wildcard_receives.h): the one after those that are certain.
void mpipp_recorder_words_locked(uint64_t *words, const struct mpipp_call *call, uint64_t place,
                                 const struct mpipp_buffer *buffer);
void mpipp_recorder_note_settled_locked(struct mpipp_comm *comm, struct mpipp_channel *channel,
                                        const uint64_t *words);
// Its receives are noted late from now on, or no more.
void mpipp_recorder_hold_channel(struct mpipp_channel *channel);
void mpipp_recorder_let_channel_go(struct mpipp_channel *channel);

// With the lock held: a collective call that was noted when it started, with what became of it.
void mpipp_recorder_note_outcome_locked(struct mpipp_comm *comm, struct mpipp_channel *channel,
                                        const struct mpipp_call *call, uint64_t place);
// The same: no collective call is noted any more.
void mpipp_recorder_note_end_locked(struct mpipp_channel *channel);

// With the lock held: what is counted next is not noted, or takes the place of another.
void mpipp_recorder_note_gap_locked(struct mpipp_channel *channel);

// What comes after that ordinal in a run with a period of more than one.
void mpipp_recorder_note_advance(struct mpipp_channel *channel, uint64_t ordinal) MPIPP_COLD;

// The bytes that the ledger may take; 0: none is kept, and no call is ever as expected.
extern uint64_t mpipp_recorder_ledger_limit MPIPP_HIDDEN;

// In line: nearly always the call is as the run has it. That one place calls several procedures, as
// with a pointer to them, is not seen.
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

// What no call is like: stands for the next one where none is expected.
extern const uint64_t mpipp_recorder_no_item[MPIPP_ONE_BUFFER] MPIPP_HIDDEN;

// Its limit, from MPIPP_LEDGER.
void mpipp_recorder_ledger_open(void);

#endif
