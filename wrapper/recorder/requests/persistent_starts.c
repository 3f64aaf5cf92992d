// SPDX-License-Identifier: MIT
// The starts of persistent requests, and the partitions of partitioned ones.
#include <stddef.h>
#include <string.h>

#include "abi/mpi_symbols.h"
#include "generated/facts.h"
#include "recorder/requests/request_events.h"
#include "recorder/requests/requests.h"
#include "recorder/requests/shared_handles.h"

enum { MOST_MARKED = 1 << 20 };

static int is_partitioned(const struct mpipp_call *made) {
  return mpipp_facts[made->procedure].form == MPIPP_FORM_PARTITIONED;
}

// Returns whether an operation is matched anew at each start, as a persistent send or receive is.
// Other operations are matched when their requests are created.
static int matches_at_start(const struct mpipp_call *made) {
  return !is_partitioned(made) && made->present & (MPIPP_HAS_DEST | MPIPP_HAS_SOURCE);
}

// Returns whether a request can be started; then copies the call that created it, and its place.
static int is_about_to_start(uint64_t handle, const struct mpipp_call *starting,
                             struct mpipp_call *made) {
  const int is_one = starting->procedure == MPIPP_PROC_Start;
  int locked = mpipp_lock_kind(MPIPP_REQUEST);
  struct mpipp_request *request = mpipp_recorder_chain_find(handle, 0);
  int starts = request && request->state == MPIPP_REQUEST_INACTIVE;
  if (starts) {
    memcpy(made, &request->call, offsetof(struct mpipp_call, buffers[1]));
    made->caller = request->object.caller;
    made->present |= is_one ? MPIPP_HAS_STARTED : MPIPP_HAS_STARTED_ALL;
  }
  if (starts && !matches_at_start(&request->call))
    MPIPP_WRITE(request->starts, request->starts + 1);
  mpipp_unlock_kind(locked);
  return starts;
}

// Counts persistent operations before MPI starts them, as other sends and receives are counted. The
// function takes no lock, because the counting functions take it.
void mpipp_recorder_begin_start(const struct mpipp_call *call, const MPI_Request *requests,
                                int64_t count) {
  for (int64_t i = 0; requests && i < count; i++) {
    struct mpipp_call made;
    uint64_t handle = MPIPP_KEY(requests[i]);
    if (!is_about_to_start(handle, call, &made)) continue;
    if (is_partitioned(&made) && made.ordinal) mpipp_recorder_start_partitioned(call, &made);
    if (!matches_at_start(&made)) continue;
    uint64_t ordinal = mpipp_recorder_start_ordinal(call, &made);
    int locked = mpipp_lock_kind(MPIPP_REQUEST);
    struct mpipp_request *request = mpipp_recorder_chain_find(handle, 0);
    if (request) request->call.ordinal = ordinal;
    mpipp_unlock_kind(locked);
  }
}

// A hook has dropped the start call, so the operation must not count.
static void take_back(uint64_t handle) {
  struct mpipp_call made;
  int locked = mpipp_lock_kind(MPIPP_REQUEST);
  struct mpipp_request *request = mpipp_recorder_chain_find(handle, 0);
  int about = request && request->state == MPIPP_REQUEST_INACTIVE;
  if (about) memcpy(&made, &request->call, offsetof(struct mpipp_call, buffers[1]));
  int counted = about && !matches_at_start(&made) && request->starts;
  if (counted) MPIPP_WRITE(request->starts, request->starts - 1);
  mpipp_unlock_kind(locked);
  if (about && matches_at_start(&made)) mpipp_recorder_uncount(&made);
  if (counted && is_partitioned(&made) && made.ordinal)
    mpipp_recorder_undo_partitioned_start(&made);
}

int mpipp_recorder_fail_start(const MPI_Request *requests, int64_t count, int code) {
  int dropped = mpipp_recorder_self->call.present & MPIPP_HAS_DROPPED;
  for (int64_t i = 0; dropped && requests && i < count; i++) take_back(MPIPP_KEY(requests[i]));
  for (int64_t i = 0; !dropped && requests && i < count; i++) {
    int locked = mpipp_lock_kind(MPIPP_REQUEST);
    const struct mpipp_request *request = mpipp_recorder_chain_find(MPIPP_KEY(requests[i]), 0);
    // A collective operation is counted when its request is created.
    const uint32_t message = MPIPP_HAS_DEST | MPIPP_HAS_SOURCE;
    if (request && request->call.present & message) mpipp_recorder_distrust_comm(&request->call);
    mpipp_unlock_kind(locked);
  }
  return code;
}

static void unmark(struct mpipp_request *request) {
  request->ready = 0;
  if (request->marks)
    memset((void *)(uintptr_t)request->marks, 0, (size_t)request->call.buffers[0].peers);
}

// The call's record no longer has the requests, so that a reader does not see it start requests
// that are already active.
void mpipp_recorder_end_start(struct mpipp_call *call, const MPI_Request *requests, int64_t count) {
  MPIPP_WRITE(call->present, call->present & ~(uint32_t)MPIPP_HAS_REQUESTS);
  uint64_t caller = mpipp_outside_mpi(call->caller);
  for (int64_t i = 0; i < count; i++) {
    int locked = mpipp_lock_kind(MPIPP_REQUEST);
    struct mpipp_request copy, *request = mpipp_recorder_chain_find(MPIPP_KEY(requests[i]), 0);
    if (request) {
      unmark(request);
      request->start = caller;
      request->start_procedure = call->procedure;
      request->tid = (uint32_t)mpipp_recorder_self->tid;
      __atomic_store_n(&request->state, MPIPP_REQUEST_ACTIVE, __ATOMIC_RELEASE);
      if (mpipp_is_listening_to_requests()) copy = mpipp_request_for_hooks(request);
    }
    mpipp_unlock_kind(locked);
    if (request && mpipp_is_listening_to_requests())
      mpipp_registry_event_sink(MPIPP_EVENT_STARTED, &copy.object, 0);
  }
}

static unsigned char *marks_of(struct mpipp_request *request) {
  int64_t count = request->call.buffers[0].peers;
  if (!request->marks && count > 0 && count <= MOST_MARKED) {
    void *marks = mpipp_registry_allocate((uint64_t)count);
    if (marks) memset(marks, 0, (size_t)count);
    __atomic_store_n(&request->marks, (uintptr_t)marks, __ATOMIC_RELEASE);
  }
  return (unsigned char *)(uintptr_t)request->marks;
}

static void mark(struct mpipp_request *request, int64_t first, int64_t count, const int *list) {
  unsigned char *marks = marks_of(request);
  int64_t all = request->call.buffers[0].peers, ready = request->ready;
  for (int64_t i = 0; i < count; i++) {
    int64_t partition = list ? list[i] : first + i;
    if (partition < 0 || partition >= all) continue;
    ready += !marks || !marks[partition];
    if (marks) marks[partition] = 1;
  }
  MPIPP_WRITE(request->ready, ready);
}

// The call's record no longer has the partitions, so that a reader does not see it mark partitions
// that are already marked.
void mpipp_recorder_mark_partitions(struct mpipp_call *call, int64_t first, int64_t count,
                                    const int *list) {
  uint64_t handle = MPIPP_KEY(*(const MPI_Request *)(uintptr_t)call->requests);
  MPIPP_WRITE(call->present, call->present & ~(uint32_t)MPIPP_HAS_REQUESTS);
  int locked = mpipp_lock_kind(MPIPP_REQUEST);
  struct mpipp_request *request = mpipp_recorder_chain_find(handle, 0);
  if (request && is_partitioned(&request->call)) mark(request, first, count, list);
  mpipp_unlock_kind(locked);
}
