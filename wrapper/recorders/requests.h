// SPDX-License-Identifier: MIT
// What every nonblocking call does once MPI accepted it, in line.
#ifndef MPIPP_REQUESTS_H
#define MPIPP_REQUESTS_H

#include <string.h>

#include "mpi/resolve.h"
#include "recorders/channels.h"
#include "recorders/objects.h"
#include "records/records.h"
#include "records/store.h"

// The first slot of a handle, of mpipp_requests_alone. If it has that handle it has a record.
static inline const struct mpipp_slot *mpipp_request_slot(const struct mpipp_slots *slots,
                                                          uint64_t handle) {
  return mpipp_slot_at(slots, handle, slots->offsets);
}

// Whether the first buffer is of a predefined datatype, which needs not be kept.
static inline int mpipp_first_is_plain(const struct mpipp_call *call) {
  const struct mpipp_object *datatype = (void *)(uintptr_t)call->buffers[0].record;
  return !(call->present & MPIPP_HAS_UNKNOWN) &&
         MPIPP_READ(datatype->flags) & MPIPP_FLAG_PREDEFINED;
}

// Whether one buffer of a predefined datatype is all there is to copy and to keep.
static inline int mpipp_request_is_plain(const struct mpipp_call *call) {
  return call->buffer_count == 1 && !(call->present & ~(uint32_t)MPIPP_HAS_FIRST) &&
         mpipp_first_is_plain(call);
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

// The call made a request. persistent: one that is not active yet. first: whether what comes before
// the second buffer in the record is all that such calls have. In line: both are constants.
static inline __attribute__((always_inline)) void
mpipp_request_made(const struct mpipp_call *call, MPI_Request made, int persistent, int first) {
  struct mpipp_thread *thread = mpipp_thread_of(call);
  uint64_t handle = MPIPP_KEY(made), last = thread->next_serial;
  mpipp_work_alone();
  const struct mpipp_slot *slot = mpipp_request_slot(MPIPP_READ(mpipp_requests_alone), handle);
  struct mpipp_request *request = (void *)(uintptr_t)slot->record;
  if (MPIPP_LIKELY(first && mpipp_first_is_plain(call) && slot->handle == handle &&
                   request->object.flags == MPIPP_FLAG_ENDED &&
                   mpipp_is_outside_mpi(call->caller) && last != thread->last_serial)) {
    mpipp_request_empty(request, call->caller);
    thread->next_serial = last + 1;
    mpipp_request_fill(request, call, persistent, 1, last + 1);
    mpipp_worked_alone();
  } else {
    mpipp_worked_alone();
    mpipp_request_made_further(call, handle, persistent);
  }
}

// The common case: no other request has the handle, it is gone now, and nothing else goes with it.
// slots: mpipp_requests_alone. Returns 0 if it is another case.
static inline int mpipp_complete_alone(const struct mpipp_slots *slots, uint64_t handle,
                                       uint64_t now) {
  const struct mpipp_slot *slot = mpipp_request_slot(slots, handle);
  struct mpipp_request *request = (void *)(uintptr_t)slot->record;
  if (MPIPP_UNLIKELY(slot->handle != handle || request->object.flags | request->object.references ||
                     request->output | request->counted || now == handle))
    return 0;
  __atomic_store_n(&request->state, MPIPP_REQUEST_COMPLETE, __ATOMIC_RELEASE);
  __atomic_store_n(&request->object.flags, MPIPP_FLAG_ENDED, __ATOMIC_RELEASE);
  return 1;
}

// The rest of mpipp_completed_all.
void mpipp_completed_from(const struct mpipp_call *call, const MPI_Request *before, int64_t first,
                          int64_t count, const MPI_Request *requests, int all);

// all: every operation is complete. Otherwise (an error in one of them) those whose handle the
// library took away.
static inline void mpipp_completed_all(const struct mpipp_call *call,
                                       const struct mpipp_handles *handles, int64_t count,
                                       const MPI_Request *requests, int all) {
  const MPI_Request *before = handles->all;
  if (MPIPP_UNLIKELY(!before)) return;
  mpipp_work_alone();
  const struct mpipp_slots *slots = MPIPP_READ(mpipp_requests_alone);
  int64_t i = 0;
  if (MPIPP_LIKELY(all)) {
    while (i < count && mpipp_complete_alone(slots, MPIPP_KEY(before[i]), MPIPP_KEY(requests[i])))
      i++;
  }
  mpipp_worked_alone();
  if (MPIPP_LIKELY(all && i >= count)) return;
  mpipp_completed_from(call, before, i, count, requests, all);
}

#endif
