// SPDX-License-Identifier: MIT
// The fast path for the most frequent form of sends and receives. Such a call repeats the last call
// in its channel: the same place, and the same number of elements of the same predefined datatype.
// For other calls the functions here change nothing, and the call takes the general path
// (wrapper_body.h). If there are hooks, calls on the fast path also take the general path, after
// their record is complete.
//
// The functions here call no others, and read each argument only once apart from storing it in the
// record. So the arguments stay in the registers in which MPI gets them.
#ifndef MPIPP_INTERCEPT_FAST_PATH_H
#define MPIPP_INTERCEPT_FAST_PATH_H

#include "abi/compilers.h"
#include "intercept/wrapper_body.h"

// The facts that all calls of a procedure share.
struct mpipp_plain {
  uint16_t procedure;
  uint32_t present, access;
  enum mpipp_sequence sequence;
};

// Keeps the compiler from moving code across this point: otherwise it would need more registers
// than there are.
MPIPP_INLINE void mpipp_in_order(void) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// Returns whether the buffer and the place are those that the channel expects of its next call.
// Stores the compared values in the call.
MPIPP_INLINE int mpipp_is_expected(struct mpipp_call *call, const struct mpipp_channel *channel,
                                   int count, uint64_t datatype) {
  struct mpipp_buffer *buffer = &call->buffers[0];
  uint64_t record = mpipp_thread_of(call)->known[0];
  buffer->datatype = datatype;
  const struct mpipp_object *known = (const void *)(uintptr_t)record;
  if (MPIPP_UNLIKELY(MPIPP_READ(known->live) != datatype)) return 0;
  mpipp_in_order();
  const uint64_t *expected = (const uint64_t *)(uintptr_t)MPIPP_READ(channel->expected);
  buffer->record = record;
  if (MPIPP_UNLIKELY(channel->period != 1 || expected[MPIPP_AT_RECORD] != record)) return 0;
  mpipp_in_order();
  call->caller = (uintptr_t)__builtin_return_address(0);
  if (MPIPP_UNLIKELY(expected[1] != call->caller)) return 0;
  mpipp_in_order();
  buffer->count = count;
  return MPIPP_LIKELY(expected[MPIPP_AT_COUNT] == (uint64_t)buffer->count);
}

// If the call has this form, counts it, completes its record, and returns 1. The call must return a
// request.
MPIPP_INLINE int mpipp_is_plain(struct mpipp_thread *thread, struct mpipp_plain of,
                                const void *address, int count, uint64_t datatype, int peer,
                                int tag, uint64_t comm, const MPI_Request *request) {
  if (MPIPP_UNLIKELY(thread->depth | thread->aside)) return 0;
  struct mpipp_call *call = &thread->call;
  struct mpipp_buffer *buffer = &call->buffers[0];
  struct mpipp_channel *channel = mpipp_last_channel(call, of.sequence, peer, tag);
  thread->depth = 1;
  if (MPIPP_UNLIKELY(MPIPP_READ(channel->peer) != (uint32_t)peer)) goto other;
  *(of.sequence == MPIPP_SENDS ? &call->dest : &call->source) = peer;
  mpipp_in_order();
  if (MPIPP_UNLIKELY(MPIPP_READ(channel->tag) != (uint32_t)tag)) goto other;
  call->tag = tag;
  mpipp_in_order();
  if (MPIPP_UNLIKELY(MPIPP_READ(channel->comm) != comm)) goto other;
  call->comm = comm;
  mpipp_in_order();
  if (MPIPP_UNLIKELY(!mpipp_is_expected(call, channel, count, datatype))) goto other;
  mpipp_in_order();
  call->ordinal = mpipp_channel_next_ordinal(channel);
  call->serial++;
  call->frame = (uintptr_t)__builtin_frame_address(0);
  call->procedure = of.procedure;
  call->buffer_count = 1;
  call->present = of.present;
  call->requests = (uintptr_t)request;
  call->request_count = 1;
  buffer->address = (uintptr_t)address;
  buffer->peers = 1;
  buffer->access = of.access;
  buffer->vector = 0;
  buffer->role = mpipp_role(MPIPP_ROLE_buf);
  mpipp_in_order();
  return 1;
other:
  thread->depth = 0;
  return 0;
}

// Returns the thread's record, computed from an address in its middle. So all members that are
// stored to have offsets of one byte in an instruction. The compiler cannot see the value, so it
// keeps none of the record's members in registers.
MPIPP_INLINE struct mpipp_thread *mpipp_nearby(struct mpipp_thread *thread) {
  const size_t middle = offsetof(struct mpipp_thread, call.procedure);
  char *address = (char *)thread + middle;
  __asm__("" : "+r"(address));
  return (void *)(address - middle);
}

// Activates the record, and returns MPI's procedure. The procedure is not looked up earlier,
// because it would occupy a register.
MPIPP_INLINE void *mpipp_begin_plain(struct mpipp_thread *thread, unsigned procedure) {
  __atomic_store_n(&thread->call.state, MPIPP_CALL_ACTIVE, __ATOMIC_RELEASE);
  mpipp_in_order();
  return MPIPP_READ(mpipp_abi_real[0][procedure]);
}

// MPI has accepted the call. The request's address is read from the record, which saves a register.
MPIPP_INLINE int mpipp_leave_plain(struct mpipp_thread *thread) {
  const MPI_Request *made = (const MPI_Request *)(uintptr_t)thread->call.requests;
  mpipp_add_request(&thread->call, *made, 0, MPIPP_COPY_PLAIN);
  int success = mpipp_success();
  __atomic_store_n(&thread->call.state, MPIPP_CALL_NONE, __ATOMIC_RELEASE);
  __atomic_store_n(&thread->depth, 0, __ATOMIC_RELEASE);
  return success;
}

// If the call waits for only a few requests, and there are no hooks, completes its record, and
// returns 1.
MPIPP_INLINE int mpipp_begin_plain_wait(struct mpipp_thread *thread, unsigned procedure, int count,
                                        const MPI_Request *requests) {
  if (MPIPP_UNLIKELY(mpipp_intercept_hooks != NULL) ||
      MPIPP_UNLIKELY(thread->depth | thread->aside))
    return 0;
  if (MPIPP_UNLIKELY((unsigned)count - 1 >= MPIPP_FEW) || MPIPP_UNLIKELY(!requests) ||
      MPIPP_UNLIKELY(mpipp_registry_is_shared))
    return 0;
  struct mpipp_call *call = &thread->call;
  thread->depth = 1;
  call->serial++;
  call->frame = (uintptr_t)__builtin_frame_address(0);
  call->procedure = (uint16_t)procedure;
  call->buffer_count = 0;
  call->present = MPIPP_HAS_REQUESTS;
  call->caller = (uintptr_t)__builtin_return_address(0);
  call->requests = (uintptr_t)requests;
  call->request_count = count;
  mpipp_in_order();
  return 1;
}

MPIPP_INLINE void mpipp_keep_handles(MPI_Request *before, int count, const MPI_Request *requests) {
  unsigned i = 0;
  do { // atomic stores, because the compiler would turn the loop into a call of memcpy
    MPIPP_WRITE(before[i], requests[i]);
  } while (++i < (unsigned)count);
}

// MPI has completed all requests. before: the handles that were passed.
MPIPP_INLINE int mpipp_leave_plain_wait(struct mpipp_thread *thread, const MPI_Request *before) {
  const struct mpipp_call *call = &thread->call;
  const int64_t count = call->request_count;
  int64_t done = 0;
  mpipp_begin_unlocked();
  const struct mpipp_slots *slots = MPIPP_READ(mpipp_registry_unshared_requests);
  const uint64_t offsets = slots->offsets;
  do {
    if (!mpipp_complete_unshared_request(slots, offsets, MPIPP_KEY(before[done]))) break;
  } while (++done < count);
  mpipp_end_unlocked();
  if (MPIPP_UNLIKELY(done < count))
    mpipp_recorder_complete_from(call, before, done, count, (void *)(uintptr_t)call->requests, 1);
  int success = mpipp_success();
  __atomic_store_n(&thread->call.state, MPIPP_CALL_NONE, __ATOMIC_RELEASE);
  __atomic_store_n(&thread->depth, 0, __ATOMIC_RELEASE);
  return success;
}

#endif
