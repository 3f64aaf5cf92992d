// SPDX-License-Identifier: MIT
// What tells which send and receive belong together, and which calls of a collective operation:
// their ordinals, counted where they are posted. No process asks another.
//
// MPI matches the sends of one process to another with one tag in the order in which they are
// started with the receives of that source and tag in the order in which they are posted (MPI-4.1,
// section 3.5), so both bear the same ordinal in their channel: a communicator, a peer and a tag.
// Receives with MPI_ANY_SOURCE or MPI_ANY_TAG take from channels that are known only when they
// complete (wildcard_receives.h). Until then the ordinals of receives that follow on that
// communicator are not certain, and say so (MPIPP_UNCERTAIN).
#ifndef MPIPP_RECORDER_MATCHING_CHANNELS_H
#define MPIPP_RECORDER_MATCHING_CHANNELS_H

#include <stddef.h>

#include "abi/vendor.h"
#include "recorder/ledger/ledger.h"
#include "recorder/matching/channel_table.h"
#include "recorder/threads/threads.h"
#include "registry/object_store.h"

// The thread that a call is on: its record is part of the thread's.
static inline struct mpipp_thread *mpipp_thread_of(const struct mpipp_call *call) {
  return (void *)((char *)(uintptr_t)call - offsetof(struct mpipp_thread, call));
}

// Where a thread keeps a channel that it used last; no channel stands in the empty places.
static inline unsigned mpipp_channel_place(int peer, int tag) {
  return ((unsigned)peer + (unsigned)tag) % MPIPP_LAST_CHANNELS;
}

// The channel that a thread used last in the place of that peer and tag.
static inline struct mpipp_channel *
mpipp_last_channel(const struct mpipp_call *call, enum mpipp_sequence sequence, int peer, int tag) {
  const struct mpipp_thread *thread = mpipp_thread_of(call);
  return (void *)(uintptr_t)thread->channels[sequence][mpipp_channel_place(peer, tag)];
}

static inline int mpipp_is_channel(const struct mpipp_channel *channel,
                                   const struct mpipp_call *call, int peer, int tag) {
  return MPIPP_LIKELY(MPIPP_READ(channel->comm) == call->comm) &&
         MPIPP_LIKELY(MPIPP_READ(channel->peer) == (uint32_t)peer) &&
         MPIPP_LIKELY(MPIPP_READ(channel->tag) == (uint32_t)tag);
}

// What a receive, or a send-receive, stores to.
static inline const struct mpipp_buffer *mpipp_received(const struct mpipp_call *call) {
  return &call->buffers[call->buffer_count - 1];
}

// Counts a call in any channel. noted: what goes to the ledger, the call itself or that which made
// the request that it starts; NULL: nothing. Without memory, or on an unknown communicator, 0: not
// known.
uint64_t mpipp_recorder_count(const struct mpipp_call *call, enum mpipp_sequence sequence,
                              uint64_t comm, uint64_t key, const struct mpipp_call *noted);

// Of a send, a receive, or a collective call, its ordinal, from 1.
uint64_t mpipp_recorder_sent_slow(const struct mpipp_call *call, int dest, int tag);

static inline __attribute__((always_inline)) uint64_t mpipp_sent(const struct mpipp_call *call,
                                                                 int dest, int tag) {
  struct mpipp_channel *last = mpipp_last_channel(call, MPIPP_SENDS, dest, tag);
  if (!mpipp_is_channel(last, call, dest, tag)) return mpipp_recorder_sent_slow(call, dest, tag);
  mpipp_perturb_note(last, call, &call->buffers[0]);
  return mpipp_counted(last);
}

uint64_t mpipp_recorder_collective_ordinal_slow(const struct mpipp_call *call);

static inline uint64_t mpipp_collective_ordinal(const struct mpipp_call *call) {
  struct mpipp_channel *last = mpipp_last_channel(call, MPIPP_COLLECTIVES, 0, 0);
  return mpipp_is_channel(last, call, 0, 0) ? mpipp_counted(last)
                                            : mpipp_recorder_collective_ordinal_slow(call);
}

// A message that a matching probe took, and counted, is received.
void mpipp_recorder_note_message(const struct mpipp_call *call);

// MPI has accepted a collective call that was counted: it goes to the ledger.
void mpipp_recorder_note_collective(const struct mpipp_call *call);
// MPI has refused it after it had begun: `noted`, a copy that says how (MPIPP_HAS_ERRORCODE), goes
// there.
void mpipp_recorder_note_refused(const struct mpipp_call *call, const struct mpipp_call *noted);
// One that was noted when it started has failed as it says now; place: where it was started.
void mpipp_recorder_note_outcome(const struct mpipp_call *made, uint64_t place);
// The ordinals of collective calls that follow on the communicator are not certain.
void mpipp_recorder_end_collectives(const struct mpipp_call *call);

// In a watched program it also says when a process goes from one communicator to another: the
// channel MPIPP_TURNS has, of each stretch of calls on one, the identity and how many they were.

// A window or a file is made by that collective call: the channel of the collective calls on it.
uint64_t mpipp_recorder_open_together(const struct mpipp_call *call, enum mpipp_sequence sequence);
// MPI has accepted such a call: it is counted, and goes to the ledger. Or it failed: `noted` does,
// if it is not NULL, as the last one.
void mpipp_recorder_note_together(const struct mpipp_call *call);
void mpipp_recorder_note_refused_together(const struct mpipp_call *call,
                                          const struct mpipp_call *noted);
int mpipp_recorder_failed_together(const struct mpipp_call *call, int code) MPIPP_COLD;

// Called when a nonblocking receive of any message waits for what it takes: from then on
// mpipp_recorder_completed_any is to be called. Set when the recording starts
// (intercept/startup.c).
extern void (*mpipp_recorder_any_waits)(void) MPIPP_HIDDEN;
// A nonblocking receive of any message completes: which one that was; NULL: nobody has said.
void mpipp_recorder_completed_any(const struct mpipp_call *call, const MPI_Status *status);

// The rest of mpipp_posted. What a blocking receive of any message took is told when it returns.
uint64_t mpipp_recorder_posted_slow(const struct mpipp_call *call, int source, int tag,
                                    int blocking);

static inline __attribute__((always_inline)) uint64_t
mpipp_posted(const struct mpipp_call *call, int source, int tag, int blocking) {
  struct mpipp_channel *last = mpipp_last_channel(call, MPIPP_RECEIVES, source, tag);
  if (!mpipp_is_channel(last, call, source, tag))
    return mpipp_recorder_posted_slow(call, source, tag, blocking);
  mpipp_perturb_note(last, call, mpipp_received(call));
  return mpipp_counted(last);
}

static inline int mpipp_is_any(int source, int tag) {
  return MPIPP_UNLIKELY(source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG);
}

// A blocking receive of any message has returned: which one that was.
void mpipp_recorder_received_any(const struct mpipp_call *call, const MPI_Status *status);

// A receive that waited for its message failed. A message that was too long was its own all the
// same; any: the ordinal of one that may take any message, else NULL. Returns the code.
int mpipp_recorder_failed_receive(const struct mpipp_call *call, int code, uint64_t *any,
                                  const MPI_Status *status) MPIPP_COLD;
// The same of the message that a matching probe took, which has that serial: it is over then.
int mpipp_recorder_failed_message(struct mpipp_call *call, int code, uint64_t serial) MPIPP_COLD;

// A receive on a communicator goes on, but its request was freed: its end will not be seen.
void mpipp_recorder_abandoned(uint64_t comm);

// A matching probe took a message; returns its ordinal, 0 if it is not known which it was.
uint64_t mpipp_recorder_matched(const struct mpipp_call *call, int source, int tag);

// The ordinal of a persistent operation that starts.
uint64_t mpipp_recorder_started_ordinal(const struct mpipp_call *call,
                                        const struct mpipp_call *made);

// A partitioned operation starts: how often is counted for each peer and tag, since each start of a
// send is for one of a receive. Or it was not started after all.
void mpipp_recorder_partitioned_starts(const struct mpipp_call *call,
                                       const struct mpipp_call *made);
void mpipp_recorder_partitioned_not_started(const struct mpipp_call *made);

// The call takes no part in the matching after all.
void mpipp_recorder_uncount(struct mpipp_call *call);

// A call failed or was cancelled: the ordinals on its communicator are not certain any more.
void mpipp_recorder_uncertain(const struct mpipp_call *call);
// A call failed; of a collective one that MPI has begun its outcome is noted. Returns the code,
// which the wrapper then need not keep meanwhile.
int mpipp_recorder_failed(struct mpipp_call *call, int code) MPIPP_COLD;
// A call was left before it returned.
void mpipp_recorder_outcome_unknown(const struct mpipp_call *call);
// The same of a collective operation, by its request, before that is taken for complete.
void mpipp_recorder_completion_failed(uint64_t handle, int code) MPIPP_COLD;

// Nothing is certain from now on, or has been.
void mpipp_recorder_all_uncertain(void);
// A thread is about to call MPI for the first time. If threads call side by side now, receives of
// any message have no certain order any more.
void mpipp_recorder_side_by_side(void);

// Another communicator is about to get the handle: nothing more is counted in those that had it.
void mpipp_recorder_close_channels(uint64_t comm);

// A communicator was freed while operations on it are pending. That one of them is cancelled will
// not be seen, which matters where all that is known is what was sent and received, and no order.
// starts: some of them can be started again, which will not be counted.
void mpipp_recorder_freed_early(uint64_t comm, int starts);

// The channels of a communicator are not needed any more; with the store's lock held.
void mpipp_recorder_forget_channels(struct mpipp_comm *comm);

// Calls may have been made unseen: nothing is certain.
void mpipp_recorder_channels_late(void);

#endif
