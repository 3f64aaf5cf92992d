// SPDX-License-Identifier: MIT
// Screens: each call of a watched program is looked at, cheaply, before MPI sees it. What a screen
// cannot clear becomes a question (watch/questions.h), once for all calls that are alike.
#ifndef MPIPP_SCREENS_H
#define MPIPP_SCREENS_H

#include "generated/facts.h"
#include "recorders/requests.h"
#include "records/registry.h"
#include "screens/boxes.h"
#include "screens/pending.h"

// The boxes of a thread's call: they are needed again when it has made its request.
struct mpipp_own {
  uint32_t count, over;
  struct mpipp_box boxes[MPIPP_MAX_BUFFERS];
};
_Static_assert(sizeof(struct mpipp_own) <= sizeof((struct mpipp_thread *)0)->boxes, "it fits");

// The call that the thread is inside of, and which is active. Both return whether
// mpipp_screen_returned is to be called once MPI has returned.
int mpipp_screen_further(struct mpipp_thread *thread) MPIPP_COLD;
// The call has succeeded.
void mpipp_screen_returned_further(struct mpipp_thread *thread) MPIPP_COLD;

// The communicator of the last plain call: mostly it is this one's, too.
extern const struct mpipp_comm *mpipp_last_comm MPIPP_HIDDEN;
// Makes it that one; returns 0 if it is an intercommunicator, or none.
int mpipp_find_plain_comm(uint64_t handle) MPIPP_COLD;

// Whether one buffer of a predefined datatype, ranks and a tag are all that the call is given, and
// they are fine; with its box then. Also MPI_IN_PLACE, what has no data, and negative counts, are
// for the other.
static inline __attribute__((always_inline)) int mpipp_is_plain(const struct mpipp_call *call,
                                                                struct mpipp_box *box) {
  const uint32_t plain = MPIPP_HAS_COMM | MPIPP_HAS_DEST | MPIPP_HAS_SOURCE | MPIPP_HAS_TAG |
                         MPIPP_HAS_ROOT | MPIPP_HAS_REQUESTS | MPIPP_HAS_ORDINAL;
  const uint32_t present = call->present;
  if (MPIPP_UNLIKELY(present & ~plain || call->buffer_count != 1)) return 0;
  const struct mpipp_comm *comm = MPIPP_READ(mpipp_last_comm);
  if (MPIPP_UNLIKELY(MPIPP_READ(comm->object.live) != call->comm)) {
    if (!mpipp_find_plain_comm(call->comm)) return 0;
    comm = MPIPP_READ(mpipp_last_comm);
  }
  const uint64_t size = (uint64_t)comm->size, tag_ub = (uint64_t)mpipp_registry.tag_ub;
  if (MPIPP_UNLIKELY(present & MPIPP_HAS_TAG && (uint64_t)call->tag > tag_ub)) return 0;
  if (MPIPP_UNLIKELY(present & MPIPP_HAS_DEST && (uint64_t)call->dest >= size)) return 0;
  if (MPIPP_UNLIKELY(present & MPIPP_HAS_SOURCE && (uint64_t)call->source >= size)) return 0;
  if (MPIPP_UNLIKELY(present & MPIPP_HAS_ROOT && (uint64_t)call->root >= size)) return 0;
  const struct mpipp_buffer *buffer = &call->buffers[0];
  const struct mpipp_datatype *type = (const void *)(uintptr_t)buffer->record;
  const uint32_t kept = MPIPP_FLAG_PREDEFINED | MPIPP_FLAG_ENDED | MPIPP_FLAG_NULL;
  if (MPIPP_UNLIKELY(!type || (MPIPP_READ(type->object.flags) & kept) != MPIPP_FLAG_PREDEFINED))
    return 0;
  if (MPIPP_UNLIKELY(buffer->access & ~(uint32_t)(MPIPP_READS | MPIPP_WRITES)) ||
      MPIPP_UNLIKELY(buffer->vector) || MPIPP_UNLIKELY(buffer->peers != 1))
    return 0;
  uint64_t bytes, low = buffer->address;
  if (__builtin_mul_overflow((uint64_t)buffer->count, (uint64_t)type->extent, &bytes)) return 0;
  uint64_t high = low + bytes;
  if (MPIPP_UNLIKELY(low < MPIPP_FIRST_ADDRESS || low >= high || high >> 63)) return 0;
  box->low = low;
  box->high = high;
  box->writes = buffer->access / MPIPP_WRITES;
  box->buffer = 0;
  return 1;
}

// Whether there are requests with all the handles that a call is to complete.
static inline int mpipp_is_plain_completion(const struct mpipp_call *call) {
  const MPI_Request *requests = (const MPI_Request *)(uintptr_t)call->requests;
  if (call->present != MPIPP_HAS_REQUESTS || call->buffer_count || !requests ||
      call->procedure == MPIPP_PROC_Start || call->procedure == MPIPP_PROC_Startall)
    return 0;
  const struct mpipp_slots *slots = MPIPP_READ(mpipp_requests_alone);
  for (int64_t i = 0; i < call->request_count; i++) {
    uint64_t handle = MPIPP_KEY(requests[i]);
    if (MPIPP_UNLIKELY(mpipp_request_slot(slots, handle)->handle != handle)) return 0;
  }
  return 1;
}

// Requests are few at first: they are looked at one by one. Once there have been many their boxes
// are kept (pending.h).
extern int mpipp_boxes_kept MPIPP_HIDDEN;
enum { MPIPP_FEW_REQUESTS = 16 };

// Whether an operation that goes on is certain not to use memory that the box is of.
static inline int mpipp_is_elsewhere(const struct mpipp_request *request,
                                     const struct mpipp_box *box) {
  for (uint32_t i = 0; i < request->call.buffer_count; i++) {
    const struct mpipp_buffer *buffer = &request->call.buffers[i];
    const struct mpipp_datatype *type = (const void *)(uintptr_t)buffer->record;
    if (buffer->vector || buffer->peers != 1 || !type || type->extent < 0) return 0;
    uint64_t low = buffer->address + (uint64_t)type->true_lb;
    uint64_t high =
        low + (uint64_t)type->true_extent + (uint64_t)(buffer->count - 1) * (uint64_t)type->extent;
    if (low < box->high && box->low < high && (buffer->access & MPIPP_WRITES) | box->writes)
      return 0;
  }
  return 1;
}

static inline __attribute__((always_inline)) int
mpipp_meets_no_request(const struct mpipp_box *box) {
  const struct mpipp_chunk *chunk =
      (const void *)(uintptr_t)mpipp_stores[MPIPP_REQUEST].table->chunks;
  if (MPIPP_UNLIKELY(mpipp_boxes_kept)) return 0;
  if (MPIPP_UNLIKELY(!chunk)) return 1;
  const struct mpipp_request *request = (const void *)(chunk + 1), *end = request + chunk->used;
  if (MPIPP_UNLIKELY(chunk->used > MPIPP_FEW_REQUESTS)) return 0;
  for (; request < end; request++) {
    if (request->state == MPIPP_REQUEST_ACTIVE && MPIPP_UNLIKELY(!mpipp_is_elsewhere(request, box)))
      return 0;
  }
  return 1;
}

static inline __attribute__((always_inline)) int mpipp_screen(struct mpipp_thread *thread) {
  const struct mpipp_call *call = &thread->call;
  struct mpipp_own *own = (struct mpipp_own *)thread->boxes;
  if (MPIPP_UNLIKELY(mpipp_registry.status != MPIPP_STATUS_STARTED ||
                     MPIPP_READ(mpipp_several_threads)))
    return mpipp_screen_further(thread);
  if (mpipp_is_plain(call, &own->boxes[0])) {
    unsigned form = mpipp_facts[call->procedure].form;
    if (MPIPP_LIKELY(form <= MPIPP_FORM_NONBLOCKING)) {
      if (MPIPP_LIKELY(mpipp_meets_no_request(&own->boxes[0]))) return 0;
      own->count = 1;
      if (mpipp_boxes_kept && mpipp_meets_nothing(&own->boxes[0], &own->over))
        return form == MPIPP_FORM_NONBLOCKING;
    }
  } else if (mpipp_is_plain_completion(call)) {
    return 0;
  }
  return mpipp_screen_further(thread);
}

static inline void mpipp_screen_returned(struct mpipp_thread *thread) {
  const struct mpipp_call *call = &thread->call;
  const struct mpipp_own *own = (const struct mpipp_own *)thread->boxes;
  if (MPIPP_LIKELY(own->count == 1 && call->requests)) {
    uint64_t handle = MPIPP_KEY(*(const MPI_Request *)(uintptr_t)call->requests);
    mpipp_work_alone();
    const struct mpipp_slot *slot = mpipp_request_slot(MPIPP_READ(mpipp_requests_alone), handle);
    const struct mpipp_request *request = (const void *)(uintptr_t)slot->record;
    int found = slot->handle == handle && request->call.serial == call->serial;
    if (MPIPP_LIKELY(found && own->boxes[0].high))
      mpipp_pending_add(&own->boxes[0],
                        (struct mpipp_owner){(uintptr_t)request, request->object.serial},
                        own->over);
    mpipp_worked_alone();
    if (MPIPP_LIKELY(found)) return;
  }
  mpipp_screen_returned_further(thread);
}

#endif
