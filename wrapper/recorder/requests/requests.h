// SPDX-License-Identifier: MIT
// Records requests. The part that is common to all nonblocking calls, after MPI has accepted them,
// is in line.
#ifndef MPIPP_RECORDER_REQUESTS_REQUESTS_H
#define MPIPP_RECORDER_REQUESTS_REQUESTS_H

#include <stddef.h>
#include <string.h>

#include "abi/compilers.h"
#include "abi/mpi_symbols.h"
#include "recorder/matching/channels.h"
#include "recorder/objects/datatypes.h"
#include "recorder/requests/call_copy.h"
#include "registry/object_store.h"
#include "registry/records.h"

// The first slot for a handle in mpipp_registry_unshared_requests. If the slot has that handle, it
// has a record.
static inline const struct mpipp_slot *mpipp_request_slot(const struct mpipp_slots *slots,
                                                          uint64_t handle) {
  return mpipp_slot_at(slots, handle, slots->offsets);
}

// The parts of a call that a request copies.
enum mpipp_copy {
  MPIPP_COPY_ALL,   // the needed members may be anywhere in the record
  MPIPP_COPY_FIRST, // all needed members precede the second buffer
  MPIPP_COPY_PLAIN, // like FIRST, but the call has no hooks, and comes from a known place of the
                    // program (fast_path.h). Then the members before `procedure` are not needed
};

_Static_assert(offsetof(struct mpipp_request, call.procedure) % 64 == 0 &&
                   offsetof(struct mpipp_thread, call.procedure) % 64 == 0 &&
                   offsetof(struct mpipp_call, buffers[1]) ==
                       offsetof(struct mpipp_call, procedure) + 128,
               "what is copied lies in two cache lines");

static inline void mpipp_request_fill(struct mpipp_request *request, const struct mpipp_call *call,
                                      int persistent, enum mpipp_copy copy, uint64_t serial) {
  const size_t end = offsetof(struct mpipp_call, buffers[1]);
  const size_t begin = copy == MPIPP_COPY_PLAIN ? offsetof(struct mpipp_call, procedure) : 0;
  request->state = persistent ? MPIPP_REQUEST_INACTIVE : MPIPP_REQUEST_ACTIVE;
  request->persistent = (uint16_t)persistent;
  request->special = 0;
  if (persistent) {
    request->ready = 0;
    request->start = 0;
    request->starts = 0;
  }
  // The size is a constant, so that the compiler copies in line.
  memcpy((char *)&request->call + begin, (const char *)call + begin, end - begin);
  if (copy == MPIPP_COPY_ALL) mpipp_recorder_request_keep(request, call);
  __atomic_store_n(&request->object.serial, serial, __ATOMIC_RELEASE);
}

static inline void mpipp_request_empty(struct mpipp_request *request, uint64_t caller) {
  __atomic_store_n(&request->object.serial, 0, __ATOMIC_RELEASE);
  request->object.caller = caller;
  // The Fortran INTEGER is unknown until the Fortran layer asks for it.
  MPIPP_WRITE(request->object.flags_and_fint, 0);
}

// The slow path of mpipp_add_request.
void mpipp_recorder_add_request_slow(struct mpipp_call *call, uint64_t handle, int persistent);

// The number of requests created so far, while one thread alone has called MPI.
extern uint64_t mpipp_recorder_request_count MPIPP_HIDDEN;

// Records the request that the call has created. persistent: 1 if it is not active yet. copy: the
// members that a request of this procedure copies if the datatype is predefined. Both are
// constants, so the function is in line.
MPIPP_INLINE void mpipp_add_request(struct mpipp_call *call, MPI_Request made, int persistent,
                                    enum mpipp_copy copy) {
  const struct mpipp_thread *thread = mpipp_thread_of(call);
  // For an unrecorded datatype this is mpipp_registry_no_object, which is not predefined.
  const struct mpipp_object *datatype = (void *)(uintptr_t)thread->known[0];
  uint64_t handle = MPIPP_KEY(made);
  mpipp_begin_unlocked();
  const struct mpipp_slot *slot =
      mpipp_request_slot(MPIPP_READ(mpipp_registry_unshared_requests), handle);
  struct mpipp_request *request = (void *)(uintptr_t)slot->record;
  if (MPIPP_LIKELY(copy != MPIPP_COPY_ALL && datatype->flags & MPIPP_FLAG_PREDEFINED) &&
      MPIPP_LIKELY(slot->handle == handle) &&
      MPIPP_LIKELY(request->object.flags == MPIPP_FLAG_ENDED) &&
      MPIPP_LIKELY(copy == MPIPP_COPY_PLAIN || mpipp_is_outside_mpi(call->caller))) {
    mpipp_request_empty(request, call->caller);
    mpipp_request_fill(request, call, persistent, copy, ++mpipp_recorder_request_count);
    mpipp_end_unlocked();
  } else {
    mpipp_end_unlocked();
    mpipp_recorder_add_request_slow(call, handle, persistent);
  }
}

// Returns whether two equal handles in one array may belong to different requests, or to none.
static inline int mpipp_may_be_duplicate(const struct mpipp_request *request) {
  return request->newer || request->object.flags & MPIPP_FLAG_NULL;
}

// Completes a request in the most common case. No other request has the handle, MPI has reset the
// variable, and the request keeps no objects alive. slots, offsets:
// mpipp_registry_unshared_requests and its `offsets`. Returns 0 in any other case.
static inline int mpipp_complete_unshared_request(const struct mpipp_slots *slots, uint64_t offsets,
                                                  uint64_t handle) {
  const struct mpipp_slot *slot = mpipp_slot_at(slots, handle, offsets);
  struct mpipp_request *request = (void *)(uintptr_t)slot->record;
  if (MPIPP_UNLIKELY(slot->handle != handle) ||
      MPIPP_UNLIKELY(request->state_and_all != MPIPP_REQUEST_ACTIVE))
    return 0;
  __atomic_store_n(&request->state, MPIPP_REQUEST_COMPLETE, __ATOMIC_RELEASE);
  __atomic_store_n(&request->object.flags, MPIPP_FLAG_ENDED, __ATOMIC_RELEASE);
  return 1;
}

void mpipp_recorder_set_request_output(uint64_t request, const void *output);
void mpipp_recorder_begin_start(const struct mpipp_call *call, const MPI_Request *requests,
                                int64_t count);
void mpipp_recorder_end_start(struct mpipp_call *call, const MPI_Request *requests, int64_t count);
int mpipp_recorder_fail_start(const MPI_Request *requests, int64_t count, int code) MPIPP_COLD;
void mpipp_recorder_note_completion(uint64_t handle, int64_t position);
void mpipp_recorder_cancel(uint64_t request);
void mpipp_recorder_orphan_requests(uint64_t comm);
// Notes that the thread has left, by a jump, a call that completes requests.
void mpipp_recorder_abandon_waits(const struct mpipp_call *call);
void mpipp_recorder_free_request(const struct mpipp_call *call, uint64_t request);
// Records that partitions of the call's request are ready, or have arrived: `count` partitions from
// `first` on, or those in a list.
void mpipp_recorder_mark_partitions(struct mpipp_call *call, int64_t first, int64_t count,
                                    const int *list);
// The handles of a completion call, as they were before the call changed them.
enum { MPIPP_FEW = 32 };
struct mpipp_handles {
  MPI_Request few[MPIPP_FEW];
  MPI_Request *all; // `few` for a small number, else allocated memory; NULL without memory
};
static inline int mpipp_are_few(int64_t count) {
  return count <= MPIPP_FEW;
}
void mpipp_recorder_complete(const struct mpipp_call *call, MPI_Request before,
                             const MPI_Request *request);
void mpipp_recorder_complete_some(const struct mpipp_call *call, const struct mpipp_handles *before,
                                  int count, const int *indices, const MPI_Request *requests);

// Note that a completion call has failed, perhaps because of a collective operation. Call these
// before the functions below. statuses: one for each handle in mpipp_recorder_fail_all, one for
// each completed request in mpipp_recorder_fail_some. If it is NULL, the code belongs to the
// request whose handle is gone.
void mpipp_recorder_fail_all(const MPI_Request *before, int64_t count, const MPI_Request *requests,
                             const MPI_Status *statuses, int code) MPIPP_COLD;
void mpipp_recorder_fail_some(const struct mpipp_handles *before, int count, const int *indices,
                              const MPI_Status *statuses) MPIPP_COLD;

// The slow path of mpipp_complete_all.
void mpipp_recorder_complete_from(const struct mpipp_call *call, const MPI_Request *before,
                                  int64_t first, int64_t count, const MPI_Request *requests,
                                  int all);

// Records the completion of requests. all: 1 if all operations are complete. Otherwise one has an
// error, and only the requests whose handles MPI has reset are complete.
MPIPP_INLINE void mpipp_complete_all(const struct mpipp_call *call,
                                     const struct mpipp_handles *handles, int64_t count,
                                     const MPI_Request *requests, int all) {
  int64_t done = 0;
  if (MPIPP_LIKELY(all) && MPIPP_LIKELY(mpipp_are_few(count))) {
    mpipp_begin_unlocked();
    const struct mpipp_slots *slots = MPIPP_READ(mpipp_registry_unshared_requests);
    const uint64_t offsets = slots->offsets;
    while (done < count &&
           mpipp_complete_unshared_request(slots, offsets, MPIPP_KEY(handles->few[done])))
      done++;
    mpipp_end_unlocked();
    if (MPIPP_LIKELY(done >= count)) return;
  }
  if (handles->all) mpipp_recorder_complete_from(call, handles->all, done, count, requests, all);
}

#endif
