// SPDX-License-Identifier: MIT
// The call filter: a cheap check of each call of a watched program before MPI executes it. If it
// cannot clear a call, it queries the watcher (watcher_client/queries.h), once for all equal calls.
#ifndef MPIPP_CALL_FILTER_FILTER_H
#define MPIPP_CALL_FILTER_FILTER_H

#include <stddef.h>
#include <string.h>

#include "abi/compilers.h"
#include "call_filter/buffer_bounds.h"
#include "call_filter/caches/call_cache.h"
#include "call_filter/pending_buffers.h"
#include "call_filter/ranks_and_tags.h"
#include "generated/facts.h"
#include "recorder/requests/requests.h"
#include "registry/registry.h"

// The boxes of a thread's call are needed again when the call has created its request.
_Static_assert(sizeof(struct mpipp_own) <= sizeof((struct mpipp_thread *)0)->boxes, "it fits");

// Checks the call that the thread is inside of, if mpipp_is_clear has not cleared it. Returns
// whether to call mpipp_filter_note_return when MPI has returned. *refused: set to MPI's error
// class if the call must not be made.
int mpipp_filter_check(struct mpipp_thread *thread, int *refused);
// The slow path of mpipp_filter_note_return, for a call that has succeeded.
void mpipp_filter_note_return_slow(struct mpipp_thread *thread) MPIPP_COLD;

// Returns whether a call is plain and valid: one buffer with a predefined datatype, and valid ranks
// and tag. Then [low, high) of the call is its box. Returns 0 for MPI_IN_PLACE, empty data,
// wildcards and MPI_PROC_NULL. first, most: the lowest valid address, and the largest number of
// bytes.
MPIPP_INLINE int mpipp_is_plain(struct mpipp_call *call, int64_t first, uint64_t most) {
  const uint32_t plain = MPIPP_HAS_COMM | MPIPP_HAS_DEST | MPIPP_HAS_SOURCE | MPIPP_HAS_TAG |
                         MPIPP_HAS_ROOT | MPIPP_HAS_REQUESTS | MPIPP_HAS_ORDINAL;
  const uint32_t present = call->present;
  if (MPIPP_UNLIKELY(present & ~plain || call->buffer_count != 1)) return 0;
  const struct mpipp_comm *comm = MPIPP_READ(mpipp_filter_last_comm);
  if (MPIPP_UNLIKELY(MPIPP_READ(comm->object.live) != call->comm)) return 0;
  if (MPIPP_UNLIKELY(!mpipp_has_ranks(call, comm))) return 0;
  const struct mpipp_buffer *buffer = &call->buffers[0];
  const uint32_t kept = MPIPP_FLAG_PREDEFINED | MPIPP_FLAG_ENDED | MPIPP_FLAG_NULL;
  // The record of the buffer's datatype; without one, mpipp_registry_no_object.
  const struct mpipp_datatype *type = (const void *)(uintptr_t)mpipp_thread_of(call)->known[0];
  if (MPIPP_UNLIKELY((MPIPP_READ(type->object.flags) & kept) != MPIPP_FLAG_PREDEFINED)) return 0;
  uint64_t access; // reads `vector`, too, which follows `access`
  memcpy(&access, &buffer->access, sizeof access);
  if (MPIPP_UNLIKELY(access & ~(uint64_t)(MPIPP_READS | MPIPP_WRITES)) ||
      MPIPP_UNLIKELY(buffer->peers != 1))
    return 0;
  int64_t bytes, low = (int64_t)buffer->address, high;
  if (__builtin_mul_overflow(buffer->count, type->extent, &bytes)) return 0;
  if (MPIPP_UNLIKELY((uint64_t)bytes - 1 >= most))
    return 0; // too many bytes, no bytes, or a negative number
  if (MPIPP_UNLIKELY(low < first)) return 0;
  if (__builtin_add_overflow(low, bytes, &high)) return 0;
  call->low = (uint64_t)low;
  call->high = (uint64_t)high;
  return 1;
}
_Static_assert(offsetof(struct mpipp_buffer, vector) ==
                   offsetof(struct mpipp_buffer, access) + sizeof(uint32_t),
               "both are read as one");

// Each pass over a call's requests has its own number, by which a duplicate request is recognized.
#define MPIPP_PLAIN_PASS(CALL) ((uint32_t)(CALL)->serial | 1u << 31)

// Returns whether all handles of a completion call belong to recorded requests, without duplicates.
static inline int mpipp_is_plain_completion(const struct mpipp_call *call) {
  const MPI_Request *requests = (const MPI_Request *)(uintptr_t)call->requests;
  if (call->present != MPIPP_HAS_REQUESTS || call->buffer_count || !requests ||
      MPIPP_UNLIKELY(call->request_count < 0) || call->procedure == MPIPP_PROC_Start ||
      call->procedure == MPIPP_PROC_Startall)
    return 0;
  const struct mpipp_slots *slots = MPIPP_READ(mpipp_registry_unshared_requests);
  const uint32_t look = MPIPP_PLAIN_PASS(call);
  for (int64_t i = 0; i < call->request_count; i++) {
    uint64_t handle = MPIPP_KEY(requests[i]);
    if (MPIPP_UNLIKELY(!handle)) return 0; // unused slots of the hash table have the handle 0, too
    const struct mpipp_slot *slot = mpipp_request_slot(slots, handle);
    if (MPIPP_UNLIKELY(slot->handle != handle)) return 0;
    struct mpipp_request *request = (void *)(uintptr_t)slot->record;
    if (MPIPP_UNLIKELY(request->object.flags & MPIPP_FLAG_ENDED))
      return 0; // the handle may be a
                // stale copy
    if (MPIPP_UNLIKELY(MPIPP_READ(request->object.given) == look) &&
        !mpipp_may_be_duplicate(request))
      return 0;
    MPIPP_WRITE(request->object.given, look);
  }
  return 1;
}

// Returns whether a call is certainly valid, and the filter has no work when it returns.
MPIPP_INLINE int mpipp_is_clear(struct mpipp_thread *thread) {
  struct mpipp_call *call = &thread->call;
  if (MPIPP_UNLIKELY(MPIPP_READ(mpipp_registry_several_threads))) return 0;
  if (mpipp_is_plain(call, mpipp_filter_first_beyond, MPIPP_LARGE - 1))
    return mpipp_meets_no_request(call);
  return mpipp_is_plain_completion(call);
}

static inline void mpipp_filter_note_return(struct mpipp_thread *thread) {
  const struct mpipp_call *call = &thread->call;
  const struct mpipp_own *own = (const struct mpipp_own *)thread->boxes;
  if (MPIPP_LIKELY(own->count == 1 && call->present & MPIPP_HAS_REQUESTS)) {
    uint64_t handle = MPIPP_KEY(*(const MPI_Request *)(uintptr_t)call->requests);
    mpipp_begin_unlocked();
    const struct mpipp_slot *slot =
        mpipp_request_slot(MPIPP_READ(mpipp_registry_unshared_requests), handle);
    const struct mpipp_request *request = (const void *)(uintptr_t)slot->record;
    // An unused or removed slot may have the same handle, so the record is compared, too.
    int found = slot->handle == handle && slot->record > 1 && request->call.serial == call->serial;
    if (MPIPP_LIKELY(found && own->boxes[0].high))
      mpipp_pending_add(&own->boxes[0],
                        (struct mpipp_owner){(uintptr_t)request, request->object.serial},
                        own->over);
    mpipp_end_unlocked();
    if (MPIPP_LIKELY(found)) return;
  }
  mpipp_filter_note_return_slow(thread);
}

#endif
