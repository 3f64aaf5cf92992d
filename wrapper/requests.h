// SPDX-License-Identifier: MIT
// What every nonblocking call does once MPI accepted it, in line.
#ifndef MPIPP_REQUESTS_H
#define MPIPP_REQUESTS_H

#include <string.h>

#include "channels.h"
#include "records.h"
#include "resolve.h"
#include "store.h"

// The record of a handle, if it is in its first slot.
static inline struct mpipp_request *mpipp_request_in(const struct mpipp_slots *slots,
                                                     uint64_t handle) {
  const struct mpipp_slot *slot = mpipp_first_slot(slots, handle);
  struct mpipp_request *request = (void *)(uintptr_t)slot->record;
  return MPIPP_LIKELY(request && request->object.handle == handle) ? request : (void *)0;
}

// Whether the record that last had a handle is free to be used again. One with return addresses
// is made anew with others; the null handle's is never free.
static inline int mpipp_request_is_free(const struct mpipp_request *request) {
  return request && MPIPP_READ(request->object.flags) == MPIPP_FLAG_FREED &&
         !request->object.frames;
}

// Whether one buffer of a predefined datatype is all there is to copy and to keep.
static inline int mpipp_request_is_plain(const struct mpipp_call *call) {
  const struct mpipp_object *datatype = (void *)(uintptr_t)call->buffers[0].record;
  return call->buffer_count == 1 && !(call->present & ~(uint32_t)MPIPP_HAS_FIRST) &&
         MPIPP_READ(datatype->flags) & MPIPP_FLAG_PREDEFINED; // known: not MPIPP_HAS_UNKNOWN
}

// Whether the thread has serials left of its block (requests.c).
static inline int mpipp_has_serial(const struct mpipp_thread *thread) {
  return thread->next_serial != thread->last_serial;
}

// What follows the first buffer, and what a request with array arguments or derived datatypes owns
// and keeps alive.
void mpipp_request_keep(struct mpipp_request *request, const struct mpipp_call *call);

static inline void mpipp_request_fill(struct mpipp_request *request, const struct mpipp_call *call,
                                      int persistent, int plain, uint64_t serial) {
  request->state = persistent ? MPIPP_REQUEST_INACTIVE : MPIPP_REQUEST_ACTIVE;
  request->persistent = (uint32_t)persistent;
  request->ready = 0;
  // The size is a constant, so that the compiler copies without a call.
  memcpy(&request->call, call, offsetof(struct mpipp_call, buffers[1]));
  if (!plain) mpipp_request_keep(request, call);
  __atomic_store_n(&request->object.serial, serial, __ATOMIC_RELEASE);
}

static inline void mpipp_request_empty(struct mpipp_request *request, uint64_t caller) {
  __atomic_store_n(&request->object.serial, 0, __ATOMIC_RELEASE);
  request->object.caller = caller;
  MPIPP_WRITE(request->object.fint, 0); // until the Fortran layer asks for it
  MPIPP_WRITE(request->object.flags, 0);
}

// The rest of mpipp_request_made, where the common case does not hold.
void mpipp_request_made_further(const struct mpipp_call *call, uint64_t handle, int persistent);

// The call made a request. persistent: one that is not active yet.
static inline void mpipp_request_made(const struct mpipp_call *call, MPI_Request made,
                                      int persistent) {
  struct mpipp_thread *thread = mpipp_thread_of(call);
  uint64_t handle = MPIPP_KEY(made);
  const struct mpipp_slots *slots = mpipp_requests_alone;
  struct mpipp_request *request = slots ? mpipp_request_in(slots, handle) : (void *)0;
  if (MPIPP_LIKELY(mpipp_request_is_free(request) && mpipp_request_is_plain(call) &&
                   mpipp_is_outside_mpi(call->caller) && mpipp_has_serial(thread))) {
    mpipp_request_empty(request, call->caller);
    mpipp_request_fill(request, call, persistent, 1, ++thread->next_serial);
  } else {
    mpipp_request_made_further(call, handle, persistent);
  }
}

#endif
