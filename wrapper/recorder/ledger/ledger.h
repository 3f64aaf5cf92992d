// SPDX-License-Identifier: MIT
// The ledger: the history of the calls of each channel (channels.h). It has sent and received
// messages, and collective calls, by ordinal.
//
// A channel's history is a list of items, each of one or more words (u64), in pages:
//   a call       the arguments that matter to other processes (call_items.h);
//   a run        each of the next n calls equals the call p before it;
//   an ordinal   the ordinal of the next call: calls in between are not kept, or the next calls
//                replace earlier items with these ordinals.
// The current run is not written yet: the channel's count shows its length. So a loop of 10^6
// iterations costs a few comparisons for each call, and a few hundred bytes in all.
#ifndef MPIPP_RECORDER_LEDGER_LEDGER_H
#define MPIPP_RECORDER_LEDGER_LEDGER_H

#include "abi/compilers.h"
#include "abi/seam.h"
#include "recorder/ledger/call_items.h"
#include "registry/object_store.h"

// In a run of equal calls, the time of one call in 64 is kept, unless another thread holds the
// lock.
enum { MPIPP_TIMED = 64 };

// The place of the call in the program. Call it without the lock, because it may use the system's
// loader.
MPIPP_SEAM uint64_t mpipp_recorder_place(const struct mpipp_call *call);

// Notes a send or a receive with that buffer as the next call of a channel. The caller then raises
// the channel's count. mpipp_recorder_note_slow takes the lock itself; for
// mpipp_recorder_note_locked the caller holds it.
void mpipp_recorder_note_slow(struct mpipp_channel *channel, const struct mpipp_call *call,
                              const struct mpipp_buffer *buffer) MPIPP_COLD;
void mpipp_recorder_note_locked(struct mpipp_comm *comm, struct mpipp_channel *channel,
                                const struct mpipp_call *call, uint64_t place,
                                const struct mpipp_buffer *buffer);
// Notes a collective call with its ordinal, when MPI has accepted it: before that, its arrays may
// be invalid. Returns the item that the channel expected, if the call equals it; else 0.
uint64_t mpipp_recorder_note_collective_locked(struct mpipp_comm *comm,
                                               struct mpipp_channel *channel,
                                               const struct mpipp_call *call, uint64_t place);
// Notes a call on a window or a file as the next one of its channel, which has a history from the
// start (mpipp_recorder_note_open_locked). The caller raises the count.
int mpipp_recorder_note_open_locked(struct mpipp_comm *comm, struct mpipp_channel *channel);
void mpipp_recorder_note_object_call_locked(struct mpipp_channel *channel,
                                            const struct mpipp_call *call, uint64_t place);
// Notes, in the channel MPIPP_TURNS, a number of consecutive calls on the communicator with that
// identity. In the history this looks like a call with this root and tag. The caller
// holds the lock.
void mpipp_recorder_note_turn_locked(struct mpipp_comm *world, struct mpipp_channel *channel,
                                     uint64_t identity, uint64_t calls);
// Notes a step in the channel MPIPP_STEPS (recorder/matching/call_order.h). In the history it looks
// like a call of that procedure with these numbers as root, operation and tag. The caller holds the
// lock.
void mpipp_recorder_note_step_locked(struct mpipp_comm *world, struct mpipp_channel *channel,
                                     unsigned procedure, uint64_t place, const uint64_t numbers[3]);
// Notes a receive that was already counted, with that ordinal. The caller holds the lock.
void mpipp_recorder_note_receive_locked(struct mpipp_comm *comm, struct mpipp_channel *channel,
                                        const struct mpipp_call *call, uint64_t place,
                                        uint64_t ordinal);
// Notes the words of a send or receive (call_items.h) as the next call of a held channel, after the
// calls that are already certain (wildcard_receives.h). The caller holds the lock.
void mpipp_recorder_note_settled_call_locked(struct mpipp_comm *comm, struct mpipp_channel *channel,
                                             const uint64_t *words);
// Holds a channel: from now on its receives are noted only when they are certain.
// mpipp_recorder_release_channel ends that.
void mpipp_recorder_hold_channel(struct mpipp_channel *channel);
void mpipp_recorder_release_channel(struct mpipp_channel *channel);

// Sets the outcome of a collective call that was noted when it started. The caller holds the lock.
void mpipp_recorder_note_outcome_locked(struct mpipp_comm *comm, struct mpipp_channel *channel,
                                        const struct mpipp_call *call, uint64_t place);
// Stops noting collective calls of the channel. The caller holds the lock.
void mpipp_recorder_note_end_locked(struct mpipp_channel *channel);

// Notes that the history has a gap: the next counted calls are not noted, or replace others. The
// caller holds the lock.
void mpipp_recorder_note_gap_locked(struct mpipp_channel *channel);

// Makes the channel expect the item after that ordinal, in a run with a period of more than one.
void mpipp_recorder_note_advance(struct mpipp_channel *channel, uint64_t ordinal) MPIPP_COLD;

// The number of bytes that the ledger may use. 0: nothing is kept, and no call is ever expected.
extern uint64_t mpipp_recorder_ledger_limit MPIPP_HIDDEN;

// Notes a send or receive in line, because nearly always it equals the expected call. If one place
// calls several procedures, for example through a pointer, the comparison does not notice that.
MPIPP_INLINE void mpipp_perturb_note(struct mpipp_channel *channel, const struct mpipp_call *call,
                                     const struct mpipp_buffer *buffer) {
  const uint64_t *expected = (const uint64_t *)(uintptr_t)MPIPP_READ(channel->expected);
  if (MPIPP_UNLIKELY(expected[1] != call->caller || expected[MPIPP_AT_RECORD] != buffer->record ||
                     expected[MPIPP_AT_COUNT] != (uint64_t)buffer->count)) {
    if (mpipp_recorder_ledger_limit) mpipp_recorder_note_slow(channel, call, buffer);
  } else if (MPIPP_UNLIKELY(channel->period != 1))
    mpipp_recorder_note_advance(channel, MPIPP_READ(channel->count) + 1);
}

// An item that no call equals. A channel that expects no call has it as its expected item.
extern const uint64_t mpipp_recorder_no_item[MPIPP_ONE_BUFFER] MPIPP_HIDDEN;

// Reads the ledger's limit from MPIPP_LEDGER.
void mpipp_recorder_ledger_open(void);

#endif
