// SPDX-License-Identifier: MIT
// The ordinals of calls, counted where they are posted: they show which send and receive match, and
// which calls belong to one collective operation. No process asks another.
//
// MPI matches the messages from one process to another with one tag in order (MPI-4.1, section
// 3.5). It takes the sends as they are started, and the receives as they are posted. So both have
// the same ordinal in their channel: a communicator, a peer and a tag. Receives with MPI_ANY_SOURCE
// or MPI_ANY_TAG take from channels that are known only when they complete (wildcard_receives.h).
// Until then the ordinals of later receives on that communicator are not certain, and marked as
// such (MPIPP_UNCERTAIN).
#ifndef MPIPP_RECORDER_MATCHING_CHANNELS_H
#define MPIPP_RECORDER_MATCHING_CHANNELS_H

#include <stddef.h>

#include "abi/vendor.h"
#include "recorder/ledger/ledger.h"
#include "recorder/matching/channel_table.h"
#include "recorder/threads/threads.h"
#include "registry/object_store.h"

// The thread that makes a call: the call's record is part of the thread's.
static inline struct mpipp_thread *mpipp_thread_of(const struct mpipp_call *call) {
  return (void *)((char *)(uintptr_t)call - offsetof(struct mpipp_thread, call));
}

// The place where a thread keeps a channel that it used last. Empty places have no channel.
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

// The buffer that a receive, or a send-receive, stores to.
static inline const struct mpipp_buffer *mpipp_receive_buffer(const struct mpipp_call *call) {
  return &call->buffers[call->buffer_count - 1];
}

// Counts a call in any channel. noted: the call that goes to the ledger, itself or the one that
// made the request that it starts; NULL: none. Returns 0 (unknown) without memory, or on an unknown
// communicator.
uint64_t mpipp_recorder_count(const struct mpipp_call *call, enum mpipp_sequence sequence,
                              uint64_t comm, uint64_t key, const struct mpipp_call *noted);

// The ordinal, from 1, of a send, a receive, or a collective call.
uint64_t mpipp_recorder_send_slow(const struct mpipp_call *call, int dest, int tag);

static inline __attribute__((always_inline)) uint64_t mpipp_post_send(const struct mpipp_call *call,
                                                                      int dest, int tag) {
  struct mpipp_channel *last = mpipp_last_channel(call, MPIPP_SENDS, dest, tag);
  if (!mpipp_is_channel(last, call, dest, tag)) return mpipp_recorder_send_slow(call, dest, tag);
  mpipp_perturb_note(last, call, &call->buffers[0]);
  return mpipp_channel_count(last);
}

uint64_t mpipp_recorder_collective_ordinal_slow(const struct mpipp_call *call);

static inline uint64_t mpipp_collective_ordinal(const struct mpipp_call *call) {
  struct mpipp_channel *last = mpipp_last_channel(call, MPIPP_COLLECTIVES, 0, 0);
  return mpipp_is_channel(last, call, 0, 0) ? mpipp_channel_count(last)
                                            : mpipp_recorder_collective_ordinal_slow(call);
}

// A message that a matching probe took, and counted, is received.
void mpipp_recorder_note_message(const struct mpipp_call *call);

// MPI has accepted a collective call that was counted: it goes to the ledger.
void mpipp_recorder_note_collective(const struct mpipp_call *call);
// MPI has refused it after it had begun: `noted`, a copy with the error (MPIPP_HAS_ERRORCODE), goes
// to the ledger.
void mpipp_recorder_note_refusal(const struct mpipp_call *call, const struct mpipp_call *noted);
// A call that was noted when it started has failed as it says now; place: where it was started.
void mpipp_recorder_note_outcome(const struct mpipp_call *made, uint64_t place);
// The ordinals of later collective calls on the communicator are not certain.
void mpipp_recorder_end_collectives(const struct mpipp_call *call);

// In a watched program this also records changes from one communicator to another, in the channel
// MPIPP_TURNS. For each stretch of calls on one communicator it has the identity and their number.

// That collective call makes a window or a file: the channel of the collective calls on it.
uint64_t mpipp_recorder_open_object_channel(const struct mpipp_call *call,
                                            enum mpipp_sequence sequence);
// MPI has accepted such a call: it is counted, and goes to the ledger. Or the call failed: `noted`
// goes there as the last one, unless it is NULL.
void mpipp_recorder_note_object_call(const struct mpipp_call *call);
void mpipp_recorder_note_refused_object_call(const struct mpipp_call *call,
                                             const struct mpipp_call *noted);
int mpipp_recorder_fail_object_call(const struct mpipp_call *call, int code) MPIPP_COLD;

// Called when a nonblocking receive of any message waits for its message: from then on
// mpipp_recorder_complete_wildcard has to be called. Set when the recording starts
// (intercept/startup.c).
extern void (*mpipp_recorder_wildcard_waits)(void) MPIPP_HIDDEN;
// A nonblocking receive of any message completes with that message; NULL: it is unknown.
void mpipp_recorder_complete_wildcard(const struct mpipp_call *call, const MPI_Status *status);

// The slow path of mpipp_post_receive. A blocking receive of any message knows its message when it
// returns.
uint64_t mpipp_recorder_post_slow(const struct mpipp_call *call, int source, int tag, int blocking);

static inline __attribute__((always_inline)) uint64_t
mpipp_post_receive(const struct mpipp_call *call, int source, int tag, int blocking) {
  struct mpipp_channel *last = mpipp_last_channel(call, MPIPP_RECEIVES, source, tag);
  if (!mpipp_is_channel(last, call, source, tag))
    return mpipp_recorder_post_slow(call, source, tag, blocking);
  mpipp_perturb_note(last, call, mpipp_receive_buffer(call));
  return mpipp_channel_count(last);
}

static inline int mpipp_is_wildcard(int source, int tag) {
  return MPIPP_UNLIKELY(source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG);
}

// A blocking receive of any message has returned with that message.
void mpipp_recorder_receive_wildcard(const struct mpipp_call *call, const MPI_Status *status);

// A receive that waited for its message failed. A message that was too long was received all the
// same; any: the ordinal of a receive that may take any message, else NULL. Returns the code.
int mpipp_recorder_fail_receive(const struct mpipp_call *call, int code, uint64_t *any,
                                const MPI_Status *status) MPIPP_COLD;
// A receive failed of the message with that serial, which a matching probe took: it is completed
// then.
int mpipp_recorder_fail_message(struct mpipp_call *call, int code, uint64_t serial) MPIPP_COLD;

// A receive on a communicator stays active, but its request was freed: its end will not be seen.
void mpipp_recorder_abandon_receive(uint64_t comm);

// A matching probe took a message. Returns its ordinal, 0 if it is unknown which message it was.
uint64_t mpipp_recorder_match_probe(const struct mpipp_call *call, int source, int tag);

// The ordinal of a persistent operation that starts.
uint64_t mpipp_recorder_start_ordinal(const struct mpipp_call *call, const struct mpipp_call *made);

// A partitioned operation starts. Starts are counted for each peer and tag, since each start of a
// send matches one of a receive. The second function takes back a start that failed.
void mpipp_recorder_start_partitioned(const struct mpipp_call *call, const struct mpipp_call *made);
void mpipp_recorder_undo_partitioned_start(const struct mpipp_call *made);

// The call takes no part in the matching after all.
void mpipp_recorder_uncount(struct mpipp_call *call);

// A call failed or was cancelled: the ordinals on its communicator are no longer certain.
void mpipp_recorder_distrust_comm(const struct mpipp_call *call);
// A call failed. If MPI has begun a collective call, its outcome is noted. Returns the code, so
// that the wrapper need not keep it meanwhile.
int mpipp_recorder_fail(struct mpipp_call *call, int code) MPIPP_COLD;
// A call was left before it returned.
void mpipp_recorder_note_unknown_outcome(const struct mpipp_call *call);
// A collective operation failed, by its request. Called before that is taken for complete.
void mpipp_recorder_fail_completion(uint64_t handle, int code) MPIPP_COLD;

// Nothing is certain from now on, or has been.
void mpipp_recorder_distrust_ordinals(void);
// A thread is about to call MPI for the first time. If threads now call concurrently, receives of
// any message have no certain order any more.
void mpipp_recorder_note_concurrency(void);

// Another communicator is about to get the handle: nothing more is counted in the former ones.
void mpipp_recorder_close_channels(uint64_t comm);

// A communicator was freed while operations on it are pending. If one of them is cancelled, that
// will not be seen; it matters if only the messages are known, and no order. starts: some of them
// can be started again, which will not be counted.
void mpipp_recorder_note_early_free(uint64_t comm, int starts);

// The channels of a communicator are no longer needed; with the store's lock held.
void mpipp_recorder_forget_channels(struct mpipp_comm *comm);

// Calls may have been made unseen: nothing is certain.
void mpipp_recorder_distrust_channels(void);

#endif
