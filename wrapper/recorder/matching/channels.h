// SPDX-License-Identifier: MIT
// The ordinals of calls, counted when calls are posted. They show which send and receive match, and
// which calls belong to one collective operation, although processes do not ask each other.
//
// MPI matches the messages from one process to another with one tag in order (MPI-4.1, section
// 3.5). It takes the sends in the order in which they are started, and the receives in the order in
// which they are posted. So a send and its receive have the same ordinal in their channel: a
// communicator, a peer and a tag. Receives with MPI_ANY_SOURCE or MPI_ANY_TAG (wildcards) belong to
// channels that are known only when they complete (wildcard_receives.h). Until then, ordinals of
// later receives on that communicator are not certain, and are marked as uncertain
// (MPIPP_UNCERTAIN).
#ifndef MPIPP_RECORDER_MATCHING_CHANNELS_H
#define MPIPP_RECORDER_MATCHING_CHANNELS_H

#include <stddef.h>

#include "abi/compilers.h"
#include "abi/vendor.h"
#include "recorder/ledger/ledger.h"
#include "recorder/matching/channel_table.h"
#include "recorder/threads/threads.h"
#include "registry/object_store.h"

// The record of the thread that makes a call: the call's record is a member of it.
static inline struct mpipp_thread *mpipp_thread_of(const struct mpipp_call *call) {
  return (void *)((char *)(uintptr_t)call - offsetof(struct mpipp_thread, call));
}

// The index in a thread's cache for a channel with that peer and tag. Unused entries have
// mpipp_recorder_no_channel.
static inline unsigned mpipp_channel_place(int peer, int tag) {
  return ((unsigned)peer + (unsigned)tag) % MPIPP_LAST_CHANNELS;
}

// The channel in the thread's cache at the index for that peer and tag. The entry may be another
// channel.
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

// The buffer to which a receive or a send-receive stores.
static inline const struct mpipp_buffer *mpipp_receive_buffer(const struct mpipp_call *call) {
  return &call->buffers[call->buffer_count - 1];
}

// Counts a call in any channel. noted: the call that is written to the ledger. It is `call` itself,
// or the one that created the request that `call` starts; NULL: none. Returns the ordinal; 0
// (unknown) without memory, or on an unknown communicator.
uint64_t mpipp_recorder_count(const struct mpipp_call *call, enum mpipp_sequence sequence,
                              uint64_t comm, uint64_t key, const struct mpipp_call *noted);

// Count a send, a receive, or a collective call, and return its ordinal, from 1.
uint64_t mpipp_recorder_send_slow(const struct mpipp_call *call, int dest, int tag);

MPIPP_INLINE uint64_t mpipp_post_send(const struct mpipp_call *call, int dest, int tag) {
  struct mpipp_channel *last = mpipp_last_channel(call, MPIPP_SENDS, dest, tag);
  if (!mpipp_is_channel(last, call, dest, tag)) return mpipp_recorder_send_slow(call, dest, tag);
  mpipp_perturb_note(last, call, &call->buffers[0]);
  return mpipp_channel_next_ordinal(last);
}

uint64_t mpipp_recorder_collective_ordinal_slow(const struct mpipp_call *call);

static inline uint64_t mpipp_collective_ordinal(const struct mpipp_call *call) {
  struct mpipp_channel *last = mpipp_last_channel(call, MPIPP_COLLECTIVES, 0, 0);
  return mpipp_is_channel(last, call, 0, 0) ? mpipp_channel_next_ordinal(last)
                                            : mpipp_recorder_collective_ordinal_slow(call);
}

// Notes the receive of a message that a matching probe took and counted.
void mpipp_recorder_note_message(const struct mpipp_call *call);

// Writes a collective call that was already counted to the ledger, because MPI has accepted it.
void mpipp_recorder_note_collective(const struct mpipp_call *call);
// Writes a collective call that MPI has begun and then refused to the ledger. `noted` is a copy of
// the call with the error (MPIPP_HAS_ERRORCODE).
void mpipp_recorder_note_refusal(const struct mpipp_call *call, const struct mpipp_call *noted);
// Notes that a collective call has failed that was noted when it started. `made` has the error.
// place: where it was started.
void mpipp_recorder_note_outcome(const struct mpipp_call *made, uint64_t place);
// Makes the ordinals of later collective calls on the communicator uncertain.
void mpipp_recorder_end_collectives(const struct mpipp_call *call);

// In a watched program, the channel MPIPP_TURNS records the stretches of collective calls on one
// communicator: its identity, and the number of calls.

// Opens the channel for collective calls on a window or a file, in the collective call that creates
// it.
uint64_t mpipp_recorder_open_object_channel(const struct mpipp_call *call,
                                            enum mpipp_sequence sequence);
// Counts a call on a window or file that MPI has accepted, and writes it to the ledger. If MPI has
// refused the call, mpipp_recorder_note_refused_object_call writes `noted` as the last call, unless
// that is NULL.
void mpipp_recorder_note_object_call(const struct mpipp_call *call);
void mpipp_recorder_note_refused_object_call(const struct mpipp_call *call,
                                             const struct mpipp_call *noted);
int mpipp_recorder_fail_object_call(const struct mpipp_call *call, int code) MPIPP_COLD;

// A function that is called when a nonblocking wildcard receive waits for its message. From then
// on, mpipp_recorder_complete_wildcard has to be called. The function is set when the recording
// starts (intercept/startup.c).
extern void (*mpipp_recorder_wildcard_waits)(void) MPIPP_HIDDEN;
// Notes that a nonblocking wildcard receive has completed with that message; NULL: the message is
// unknown.
void mpipp_recorder_complete_wildcard(const struct mpipp_call *call, const MPI_Status *status);

// The slow path of mpipp_post_receive. blocking: 1 if a wildcard receive learns its message when
// the call returns.
uint64_t mpipp_recorder_post_slow(const struct mpipp_call *call, int source, int tag, int blocking);

MPIPP_INLINE uint64_t mpipp_post_receive(const struct mpipp_call *call, int source, int tag,
                                         int blocking) {
  struct mpipp_channel *last = mpipp_last_channel(call, MPIPP_RECEIVES, source, tag);
  if (!mpipp_is_channel(last, call, source, tag))
    return mpipp_recorder_post_slow(call, source, tag, blocking);
  mpipp_perturb_note(last, call, mpipp_receive_buffer(call));
  return mpipp_channel_next_ordinal(last);
}

static inline int mpipp_is_wildcard(int source, int tag) {
  return MPIPP_UNLIKELY(source == MPI_ANY_SOURCE || tag == MPI_ANY_TAG);
}

// Notes that a blocking wildcard receive has returned with that message.
void mpipp_recorder_receive_wildcard(const struct mpipp_call *call, const MPI_Status *status);

// Notes that a receive failed while it waited for its message. A message that was too long was
// received all the same. any: address of the ordinal of a wildcard receive, else NULL. Returns the
// code.
int mpipp_recorder_fail_receive(const struct mpipp_call *call, int code, uint64_t *any,
                                const MPI_Status *status) MPIPP_COLD;
// Notes that a receive of a matched message (MPI_Mrecv), with that serial, failed. The message then
// counts as received.
int mpipp_recorder_fail_message(struct mpipp_call *call, int code, uint64_t serial) MPIPP_COLD;

// Notes that a request on a communicator was freed while its receive is active, so its completion
// will not be seen.
void mpipp_recorder_abandon_receive(uint64_t comm);

// Counts a message that a matching probe took. Returns the message's ordinal; 0 if it is unknown
// which message it was.
uint64_t mpipp_recorder_match_probe(const struct mpipp_call *call, int source, int tag);

// Returns the ordinal for a persistent operation that is about to start.
uint64_t mpipp_recorder_start_ordinal(const struct mpipp_call *call, const struct mpipp_call *made);

// mpipp_recorder_start_partitioned counts the start of a partitioned operation. Starts are counted
// for each peer and tag, because each start of a send matches one of a receive.
// mpipp_recorder_undo_partitioned_start takes back a start that failed.
void mpipp_recorder_start_partitioned(const struct mpipp_call *call, const struct mpipp_call *made);
void mpipp_recorder_undo_partitioned_start(const struct mpipp_call *made);

// Takes back the call's ordinals: it takes no part in the matching.
void mpipp_recorder_uncount(struct mpipp_call *call);

// Makes the ordinals on the communicator of a call uncertain, which failed or was cancelled.
void mpipp_recorder_distrust_comm(const struct mpipp_call *call);
// Notes the outcome of a failed call if MPI had begun a collective operation. Returns the code, so
// that its caller need not save it across this call.
int mpipp_recorder_fail(struct mpipp_call *call, int code) MPIPP_COLD;
// Notes that the thread has left a call by a jump, so that the outcome is unknown.
void mpipp_recorder_note_unknown_outcome(const struct mpipp_call *call);
// Notes that a nonblocking collective operation failed, with that request. Call it before the
// request is recorded as complete.
void mpipp_recorder_fail_completion(uint64_t handle, int code) MPIPP_COLD;

// Makes all ordinals uncertain, earlier and later ones.
void mpipp_recorder_distrust_ordinals(void);
// Called when a thread is about to call MPI for the first time. If threads may now call
// concurrently, ordinals of wildcard receives become uncertain.
void mpipp_recorder_note_concurrency(void);

// Closes the channels of a communicator, whose handle another one is about to get: nothing more is
// counted in them.
void mpipp_recorder_close_channels(uint64_t comm);

// Notes that a communicator was freed while operations on it are pending. A later cancellation of
// such an operation will not be seen. This matters if threads share channels. starts: 1 if
// persistent operations may be started again, which will not be counted.
void mpipp_recorder_note_early_free(uint64_t comm, int starts);

// Frees a communicator's channels. The caller holds the store's lock.
void mpipp_recorder_forget_channels(struct mpipp_comm *comm);

// Makes all ordinals uncertain, because calls may have been made unseen.
void mpipp_recorder_distrust_channels(void);

#endif
