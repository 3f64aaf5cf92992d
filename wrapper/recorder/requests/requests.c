// SPDX-License-Identifier: MIT
#include "recorder/requests/requests.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "abi/mpi_symbols.h"
#include "generated/facts.h"
#include "recorder/objects/communicators.h"
#include "recorder/requests/completion_calls.h"
#include "recorder/requests/request_events.h"
#include "recorder/requests/shared_handles.h"
#include "recorder/threads/threads.h"

enum { SERIALS_AT_ONCE = 1024, MAX_PASSES = 64, NOT_TOLD = -1 };

static uint64_t null_request(void) {
  static uint64_t known = 0;
  uint64_t null = MPIPP_READ(known);
  if (MPIPP_UNLIKELY(!null)) {
    null = MPIPP_KEY(MPI_REQUEST_NULL);
    MPIPP_WRITE(known, null);
  }
  return null;
}

uint64_t mpipp_recorder_request_count = 0;

// A request's serial. Each thread reserves several at a time.
static uint64_t next_serial(struct mpipp_thread *thread) {
  mpipp_begin_unlocked();
  uint64_t serial = mpipp_is_single_threaded(MPIPP_REQUEST) ? ++mpipp_recorder_request_count : 0;
  mpipp_end_unlocked();
  if (serial) return serial;
  if (thread->next_serial == thread->last_serial) {
    thread->next_serial =
        __atomic_fetch_add(&mpipp_recorder_request_count, SERIALS_AT_ONCE, __ATOMIC_RELAXED);
    thread->last_serial = thread->next_serial + SERIALS_AT_ONCE;
  }
  return ++thread->next_serial;
}

// Returns which part of a call a request has to copy. Often that is one buffer with a predefined
// datatype.
static enum mpipp_copy copy_kind(const struct mpipp_call *call) {
  const struct mpipp_object *datatype = (void *)(uintptr_t)call->buffers[0].record;
  int first = call->buffer_count == 1 && !(call->present & ~(uint32_t)MPIPP_HAS_FIRST) &&
              MPIPP_READ(datatype->flags) & MPIPP_FLAG_PREDEFINED;
  return first ? MPIPP_COPY_FIRST : MPIPP_COPY_ALL;
}

// Returns whether the last record with a handle may be reused. A record with return addresses is
// not, because a new request needs new ones. The record of the null handle is never free.
static int is_free(const struct mpipp_request *request) {
  const uint32_t free = MPIPP_FLAG_ENDED;
  return request &&
         (MPIPP_READ(request->object.flags) & ~(uint32_t)(MPIPP_FLAG_GIVEN_UP | MPIPP_FLAG_IDLE)) ==
             free &&
         !request->object.frames;
}

// Reuses the record of the handle if it is free. Returns 0 if not.
static int reuse(const struct mpipp_call *call, uint64_t handle, int persistent, uint64_t serial) {
  struct mpipp_request copy;
  uint64_t caller = mpipp_outside_mpi(call->caller);
  int locked = mpipp_lock_kind(MPIPP_REQUEST);
  struct mpipp_request *request = mpipp_find(MPIPP_REQUEST, handle);
  int reused = is_free(request);
  if (reused) {
    mpipp_request_empty(request, caller);
    mpipp_recorder_drop_call(request); // the record's last request was freed while active, and
                                       // still has its call
    mpipp_request_fill(request, call, persistent, copy_kind(call), serial);
    if (mpipp_is_listening_to_requests()) copy = mpipp_request_for_hooks(request);
  }
  mpipp_unlock_kind(locked);
  if (reused && mpipp_is_listening_to_requests())
    mpipp_registry_event_sink(MPIPP_EVENT_MADE, &copy.object, 0);
  return reused;
}

void mpipp_recorder_add_request_slow(struct mpipp_call *call, uint64_t handle, int persistent) {
  mpipp_import_unknown(call);
  if (handle == null_request()) return;
  uint64_t serial = next_serial(mpipp_thread_of(call));
  if (reuse(call, handle, persistent, serial)) return;
  struct mpipp_request copy,
      *request = mpipp_registry_claim_without_handle(MPIPP_REQUEST, handle, call->caller);
  if (!request) return;
  int locked = mpipp_lock_kind(MPIPP_REQUEST);
  mpipp_request_fill(request, call, persistent, copy_kind(call), serial);
  if (mpipp_is_listening_to_requests()) copy = mpipp_request_for_hooks(request);
  mpipp_recorder_chain_add(request);
  mpipp_unlock_kind(locked);
  if (mpipp_is_listening_to_requests())
    mpipp_registry_event_sink(MPIPP_EVENT_MADE, &copy.object, 0);
}

void mpipp_recorder_set_request_output(uint64_t handle, const void *output) {
  int locked = mpipp_lock_kind(MPIPP_REQUEST);
  struct mpipp_request *request =
      mpipp_recorder_chain_find(handle, mpipp_recorder_self->call.requests);
  if (request) {
    request->special |= MPIPP_SPECIAL;
    request->output = (uint64_t)(uintptr_t)output;
  }
  mpipp_unlock_kind(locked);
  mpipp_recorder_promise_comm(MPIPP_KEY(*(const MPI_Comm *)output));
}

// One of several requests with the same handle was completed, and it is unknown which. So from now
// on, the others are not reported as owners of their buffers.
static void doubt(uint64_t handle) {
  for (int more = 1; more;) {
    struct mpipp_request copy;
    int locked = mpipp_lock_kind(MPIPP_REQUEST);
    const struct mpipp_request *request = mpipp_recorder_chain_doubt(handle);
    more = request != NULL;
    if (more && mpipp_is_listening_to_requests()) copy = *request;
    mpipp_unlock_kind(locked);
    if (more && mpipp_is_listening_to_requests())
      mpipp_registry_event_sink(MPIPP_EVENT_DOUBTED, &copy.object, 0);
  }
}

// MPI_Request_get_status has shown the program that the operation is complete. The program may use
// the buffers, and the request stays. All requests that share a handle are complete from the start.
void mpipp_recorder_note_completion(uint64_t handle, int64_t position) {
  if (handle == null_request()) return;
  struct mpipp_request copy;
  int locked = mpipp_lock_kind(MPIPP_REQUEST);
  struct mpipp_request *request = mpipp_find_live(MPIPP_REQUEST, handle);
  int shared = request && request->newer;
  int told = request && request->state == MPIPP_REQUEST_ACTIVE;
  if (told && mpipp_is_listening_to_requests()) copy = *request;
  if (told) __atomic_store_n(&request->state, MPIPP_REQUEST_COMPLETE, __ATOMIC_RELEASE);
  mpipp_unlock_kind(locked);
  if (told && mpipp_is_listening_to_requests())
    mpipp_registry_event_sink(MPIPP_EVENT_COMPLETED, &copy.object, position);
  if (shared) doubt(handle);
}

void mpipp_recorder_cancel(uint64_t handle) {
  int locked = mpipp_lock_kind(MPIPP_REQUEST);
  struct mpipp_request *request = mpipp_find_live(MPIPP_REQUEST, handle);
  if (request) {
    mpipp_recorder_distrust_comm(&request->call);
    request->call.ordinal = request->call.recv_ordinal = 0;
  }
  mpipp_unlock_kind(locked);
}

// A communicator was freed, but its pending operations stay active. The communicator's handle may
// be reused, and these requests must not be taken for requests on the new communicator. So their
// ordinals become uncertain.
void mpipp_recorder_orphan_requests(uint64_t comm) {
  int locked = mpipp_lock_kind(MPIPP_REQUEST), pending = 0, starts = 0;
  const struct mpipp_table *table = mpipp_registry_stores[MPIPP_REQUEST].table;
  for (struct mpipp_chunk *chunk = table ? (void *)(uintptr_t)table->chunks : NULL; chunk;
       chunk = (void *)(uintptr_t)chunk->next) {
    struct mpipp_request *requests = (void *)(chunk + 1);
    for (uint64_t i = 0; i < MPIPP_READ(chunk->used); i++) {
      struct mpipp_call *call = &requests[i].call;
      if (requests[i].state == MPIPP_REQUEST_COMPLETE || call->comm != comm) continue;
      call->ordinal = 0;
      call->recv_ordinal = 0;
      pending = 1;
      starts |= requests[i].persistent != 0;
    }
  }
  mpipp_unlock_kind(locked);
  if (pending) mpipp_recorder_note_early_free(comm, starts);
}

static void end_active(struct mpipp_request *request, int others_stay) {
  if (others_stay) {
    mpipp_recorder_chain_complete(request->object.handle, request->call.requests,
                                  (int)request->persistent, NULL);
    return;
  }
  mpipp_recorder_complete_operation(request, (int)request->persistent);
  request->newer = request->newest = 0;
  MPIPP_WRITE(request->object.references, 0);
}

// Returns the number of active requests whose handles MPI stored in an array; for array 0, of all
// active requests. If `over`, these become complete or inactive. Some may remain active if newer
// requests have replaced them.
static int64_t active(uint64_t array, int64_t count, int over) {
  const struct mpipp_table *table = mpipp_registry_stores[MPIPP_REQUEST].table;
  int64_t found = 0;
  for (struct mpipp_chunk *chunk = table ? (void *)(uintptr_t)table->chunks : NULL; chunk;
       chunk = (void *)(uintptr_t)chunk->next) {
    struct mpipp_request *requests = (void *)(chunk + 1);
    for (uint64_t i = 0; i < MPIPP_READ(chunk->used); i++) {
      struct mpipp_request *request = &requests[i];
      uint64_t offset = request->call.requests - array;
      if (!MPIPP_READ(request->object.serial) || request->state != MPIPP_REQUEST_ACTIVE ||
          MPIPP_READ(request->object.flags) & MPIPP_FLAG_ENDED ||
          (array && offset >= (uint64_t)count * sizeof(MPI_Request)))
        continue;
      found++;
      if (over) end_active(request, array != 0);
    }
  }
  return found;
}

// The thread has left a completion call, so it is unknown which requests are complete, and the
// call's array may be gone. If the stored handles of all the call's requests are known, these
// requests are treated as complete; otherwise all active requests are.
void mpipp_recorder_abandon_waits(const struct mpipp_call *call) {
  if (!mpipp_completes_requests(call->procedure) || !call->requests) return;
  int locked = mpipp_lock_kind(MPIPP_REQUEST);
  int all_known = active(call->requests, call->request_count, 0) == call->request_count;
  uint64_t array = all_known ? call->requests : 0;
  for (int pass = 0; pass < MAX_PASSES && active(array, call->request_count, 1); pass++) continue;
  mpipp_unlock_kind(locked);
}

static struct mpipp_output end_without_report(uint64_t handle, uint64_t where, int kept) {
  int locked = mpipp_lock_kind(MPIPP_REQUEST);
  struct mpipp_output output = mpipp_recorder_chain_complete(handle, where, kept, NULL);
  mpipp_unlock_kind(locked);
  return output;
}

// Ends the operation, and passes the event to hooks with a copy of the request. The copy is long,
// so this is a function of its own.
static MPIPP_COLD struct mpipp_output end_and_report(uint64_t handle, uint64_t where, int kept,
                                                     int64_t position) {
  struct mpipp_request copy = {0};
  int locked = mpipp_lock_kind(MPIPP_REQUEST);
  struct mpipp_output output = mpipp_recorder_chain_complete(handle, where, kept, &copy);
  mpipp_unlock_kind(locked);
  if (copy.state == MPIPP_REQUEST_ACTIVE)
    mpipp_registry_event_sink(MPIPP_EVENT_COMPLETED, &copy.object, position);
  locked = mpipp_lock_kind(MPIPP_REQUEST);
  mpipp_recorder_drop_call(&copy);
  mpipp_unlock_kind(locked);
  return output;
}

// Ends a request's operation. Passes an event to hooks if the program did not know of the
// completion yet.
static struct mpipp_output end_operation(uint64_t handle, uint64_t where, int kept,
                                         int64_t position) {
  struct mpipp_output output = position != NOT_TOLD && mpipp_is_listening_to_requests()
                                   ? end_and_report(handle, where, kept, position)
                                   : end_without_report(handle, where, kept);
  if (output.shared) doubt(handle);
  return output;
}

// Notes that a persistent request is waited for, if it was never started.
static void note_idle(uint64_t handle) {
  int locked = mpipp_lock_kind(MPIPP_REQUEST);
  struct mpipp_request *request = mpipp_find_live(MPIPP_REQUEST, handle);
  if (request && request->persistent && !request->start && !request->newer)
    request->object.flags |= MPIPP_FLAG_IDLE;
  mpipp_unlock_kind(locked);
}

static __attribute__((noinline)) void complete_any(const struct mpipp_call *call, uint64_t handle,
                                                   uint64_t now, uint64_t where, int64_t position) {
  if (handle == null_request()) return;
  if (now == handle) note_idle(handle);
  struct mpipp_output output =
      end_operation(handle, where, now == handle, position); // `now` is the same handle if the
                                                             // request is persistent
  if (!output.place) return;
  // The object is recorded as if this call had created it.
  struct mpipp_call made = {.caller = call->caller,
                            .procedure = MPIPP_PROC_Comm_idup,
                            .present = MPIPP_HAS_COMM | MPIPP_HAS_ORDINAL,
                            .comm = output.comm,
                            .ordinal = output.ordinal};
  mpipp_recorder_add_comm(&made, *(const MPI_Comm *)(uintptr_t)output.place);
}

static inline void complete(const struct mpipp_call *call, uint64_t handle, uint64_t now,
                            uint64_t where, int64_t position) {
  mpipp_begin_unlocked();
  const struct mpipp_slots *slots = MPIPP_READ(mpipp_registry_unshared_requests);
  int done = now != handle && mpipp_complete_unshared_request(slots, slots->offsets, handle);
  mpipp_end_unlocked();
  if (!done) complete_any(call, handle, now, where, position);
}

// The program frees the request of an active operation, which continues. The record then shows what
// the operation may still do, and is completed when MPI reuses the handle. If several requests
// share the handle, their operations are complete from the start, so nothing is kept.
static int free_active(uint64_t handle) {
  int locked = mpipp_lock_kind(MPIPP_REQUEST);
  struct mpipp_request *request = mpipp_registry_find_locked(MPIPP_REQUEST, handle);
  int active = request && MPIPP_READ(request->object.flags) == 0 && !request->newer &&
               request->state == MPIPP_REQUEST_ACTIVE && !request->output;
  if (active) {
    request->special |= MPIPP_SPECIAL;
    mpipp_mark(&request->object, MPIPP_FLAG_ENDED | MPIPP_FLAG_GIVEN_UP);
  }
  mpipp_unlock_kind(locked);
  return active;
}

void mpipp_recorder_free_request(const struct mpipp_call *call, uint64_t handle) {
  struct mpipp_request copy;
  int locked = mpipp_lock_kind(MPIPP_REQUEST);
  const struct mpipp_request *request = mpipp_recorder_chain_find(handle, call->requests);
  if (request && mpipp_is_listening_to_requests()) copy = *request;
  int receives =
      request && request->state == MPIPP_REQUEST_ACTIVE && request->call.present & MPIPP_HAS_SOURCE;
  uint64_t comm = receives ? request->call.comm : 0;
  mpipp_unlock_kind(locked);
  if (request && mpipp_is_listening_to_requests())
    mpipp_registry_event_sink(MPIPP_EVENT_FREED, &copy.object, 0);
  if (receives) mpipp_recorder_abandon_receive(comm);
  if (!free_active(handle)) complete(call, handle, null_request(), call->requests, NOT_TOLD);
}

void mpipp_recorder_fail_all(const MPI_Request *before, int64_t count, const MPI_Request *requests,
                             const MPI_Status *statuses, int code) {
  const int in_statuses = statuses && code == MPI_ERR_IN_STATUS;
  if (!before || (!in_statuses && code == MPI_ERR_IN_STATUS))
    return; // mpipp cannot know which operation failed
  for (int64_t i = 0; i < count; i++) {
    if (in_statuses || MPIPP_KEY(requests[i]) != MPIPP_KEY(before[i]))
      mpipp_recorder_fail_completion(MPIPP_KEY(before[i]),
                                     in_statuses ? statuses[i].MPI_ERROR : code);
  }
}

void mpipp_recorder_fail_some(const struct mpipp_handles *before, int count, const int *indices,
                              const MPI_Status *statuses) {
  if (!before->all || !statuses || count == MPI_UNDEFINED) return;
  for (int i = 0; i < count; i++) {
    if (indices[i] != MPI_UNDEFINED)
      mpipp_recorder_fail_completion(MPIPP_KEY(before->all[indices[i]]), statuses[i].MPI_ERROR);
  }
}

void mpipp_recorder_complete(const struct mpipp_call *call, MPI_Request before,
                             const MPI_Request *request) {
  complete(call, MPIPP_KEY(before), MPIPP_KEY(*request), (uintptr_t)request, 0);
}

void mpipp_recorder_complete_from(const struct mpipp_call *call, const MPI_Request *before,
                                  int64_t first, int64_t count, const MPI_Request *requests,
                                  int all) {
  for (int64_t i = first; i < count; i++) {
    if (all || MPIPP_KEY(requests[i]) != MPIPP_KEY(before[i]))
      complete(call, MPIPP_KEY(before[i]), MPIPP_KEY(requests[i]), (uintptr_t)&requests[i], i);
  }
}

void mpipp_recorder_complete_some(const struct mpipp_call *call, const struct mpipp_handles *before,
                                  int count, const int *indices, const MPI_Request *requests) {
  if (!before->all || count == MPI_UNDEFINED) return;
  for (int i = 0; i < count; i++) {
    if (indices[i] == MPI_UNDEFINED) continue;
    const MPI_Request *request = &requests[indices[i]];
    complete(call, MPIPP_KEY(before->all[indices[i]]), MPIPP_KEY(*request), (uintptr_t)request, i);
  }
}
