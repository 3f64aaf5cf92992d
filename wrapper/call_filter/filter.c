// SPDX-License-Identifier: MIT
#include "call_filter/filter.h"

#include <string.h>

#include "abi/mpi_symbols.h"
#include "call_filter/arguments.h"
#include "call_filter/block_overlap.h"
#include "call_filter/buffer_bounds.h"
#include "call_filter/buffer_conflicts.h"
#include "call_filter/caches/query_cache.h"
#include "call_filter/other_arguments.h"
#include "call_filter/partitions.h"
#include "call_filter/pending_buffers.h"
#include "call_filter/ranks_and_tags.h"
#include "call_filter/reduction_ops.h"
#include "call_filter/self_transfers.h"
#include "call_filter/topologies.h"
#include "recorder/requests/completion_calls.h"
#include "recorder/requests/requests.h"
#include "recorder/threads/threads.h"
#include "registry/registry.h"
#include "watcher_client/connection.h"

static struct mpipp_own *boxes_of(struct mpipp_thread *thread) {
  return (struct mpipp_own *)thread->boxes;
}

static int marks_ready(const struct mpipp_call *call) {
  return call->procedure == MPIPP_PROC_Pready || call->procedure == MPIPP_PROC_Pready_range ||
         call->procedure == MPIPP_PROC_Pready_list;
}

// Returns whether the call takes existing requests, and creates none.
static int takes_requests(const struct mpipp_call *call) {
  if (call->buffer_count || !call->requests) return 0;
  if (mpipp_completes_requests(call->procedure)) return 1;
  switch (call->procedure) {
  case MPIPP_PROC_Start:
  case MPIPP_PROC_Startall:
  case MPIPP_PROC_Cancel:
  case MPIPP_PROC_Request_free:
    return 1;
  default:
    return marks_ready(call);
  }
}

static int starts(const struct mpipp_call *call) {
  return call->procedure == MPIPP_PROC_Start || call->procedure == MPIPP_PROC_Startall;
}

// Adds the facts that decide whether a request may be started or completed.
static int doubt_request(const struct mpipp_request *request, uint64_t place,
                         struct mpipp_doubt *doubt) {
  mpipp_doubt(doubt, (uint64_t)request->object.flags << 32 | request->state);
  mpipp_doubt(doubt, request->persistent != 0);
  // If several requests share a handle, their places distinguish them.
  mpipp_doubt(doubt, request->newer ? request->object.serial ^ place : 0);
  return mpipp_doubt_reason(doubt, MPIPP_OF_REQUEST, request->call.procedure);
}

static int is_buffered(const struct mpipp_call *call) {
  return call->procedure == MPIPP_PROC_Bsend_init || call->procedure == MPIPP_PROC_Bsend_init_c;
}

// Returns whether the call may complete several requests of its array.
static int completes_all(const struct mpipp_call *call) {
  return call->procedure == MPIPP_PROC_Waitall || call->procedure == MPIPP_PROC_Testall ||
         call->procedure == MPIPP_PROC_Waitsome || call->procedure == MPIPP_PROC_Testsome;
}

static int has_fine_requests(const struct mpipp_call *call, struct mpipp_doubt *doubt) {
  const MPI_Request *requests = (const MPI_Request *)(uintptr_t)call->requests;
  // With several threads, the record may belong to an earlier request with the same handle.
  int alone = !MPIPP_READ(mpipp_registry_several_threads);
  int starting = starts(call) && alone, once = alone && (starting || completes_all(call));
  const uint32_t look = once ? mpipp_filter_next_pass() : 0;
  for (int64_t i = 0; i < call->request_count; i++) {
    uint64_t handle = MPIPP_KEY(requests[i]);
    struct mpipp_request *request = mpipp_find(MPIPP_REQUEST, handle);
    if (MPIPP_UNLIKELY(!request)) return mpipp_doubt_reason(doubt, MPIPP_OF_REQUEST, handle);
    if (call->present & MPIPP_HAS_GIVEN_UP && alone && request->object.flags & MPIPP_FLAG_NULL)
      return doubt_request(request, 0, doubt);
    if (call->procedure == MPIPP_PROC_Request_free && alone && !request->start &&
        request->object.flags & MPIPP_FLAG_IDLE)
      return doubt_request(request, 0, doubt);
    if (once && request->object.given == look &&
        (starting || !(request->persistent || mpipp_may_be_duplicate(request))))
      return mpipp_doubt_reason(doubt, MPIPP_OF_REQUEST, (uint64_t)call->procedure << 32);
    if (once) request->object.given = look;
    if (starting && (!request->persistent || request->state != MPIPP_REQUEST_INACTIVE ||
                     request->object.flags & (MPIPP_FLAG_NULL | MPIPP_FLAG_ENDED)))
      return doubt_request(request, (uintptr_t)&requests[i], doubt);
    if (request->object.flags & MPIPP_FLAG_ENDED && alone)
      return doubt_request(request, (uintptr_t)&requests[i], doubt);
    if (starting && is_buffered(&request->call) &&
        !mpipp_filter_fits_attached_buffer(&request->call, doubt))
      return 0;
  }
  return 1;
}

// Returns whether the number of requests is not negative, and an array exists unless the number is
// 0.
static int has_request_array(const struct mpipp_call *call, struct mpipp_doubt *doubt) {
  int fine = call->requests ? call->request_count >= 0 : call->request_count == 0;
  return fine || mpipp_doubt_reason(doubt, MPIPP_OF_REQUEST, (uint64_t)call->request_count);
}

static int begins_with(const char *name, const char *prefix) {
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

// Returns whether a procedure may be called before MPI_Init and after MPI_Finalize. Since MPI-4.0
// the procedures of info objects and error handlers may.
static int is_timeless(unsigned procedure) {
  const char *name = mpipp_procedure_names[procedure];
  if (begins_with(name, "MPI_Session_")) return 1;
  if (!begins_with(name, "MPI_Info_") && !begins_with(name, "MPI_Errhandler_free")) return 0;
  return mpipp_registry.status == MPIPP_STATUS_LOADED || mpipp_registry.standard >= 4;
}

// Returns whether MPI is initialized and not finalized, if the procedure needs it.
static int is_in_time(const struct mpipp_call *call, struct mpipp_doubt *doubt) {
  if (MPIPP_LIKELY(mpipp_is_mpi_available())) return 1;
  const uint32_t needs = MPIPP_HAS_COMM | MPIPP_HAS_WIN | MPIPP_HAS_FILE | MPIPP_HAS_OP |
                         MPIPP_HAS_REQUESTS | MPIPP_HAS_CONSTRUCTOR;
  const int has_others = call->present & MPIPP_HAS_ARGUMENTS && !is_timeless(call->procedure);
  if (!(call->present & needs) && !has_others) return 1;
  return mpipp_doubt_reason(doubt, MPIPP_OF_STATUS, mpipp_registry.status);
}

// Returns whether all aspects of a call are certainly valid, except overlaps with other operations.
// Computes the boxes of its buffers.
static int is_fine(const struct mpipp_call *call, struct mpipp_own *own,
                   struct mpipp_doubt *doubt) {
  const uint32_t present = call->present;
  const struct mpipp_comm *comm = NULL;
  int fine = is_in_time(call, doubt);
  if (MPIPP_LIKELY(present & MPIPP_HAS_COMM)) {
    comm = mpipp_passed_object(MPIPP_COMM, call->comm, doubt);
    fine &= comm && mpipp_filter_has_plain_ranks(call, comm, doubt) &&
            mpipp_filter_has_topology(call, comm, doubt) &&
            mpipp_filter_has_groups(call, comm, doubt) &&
            mpipp_filter_fits_itself(call, comm, doubt);
  }
  if (MPIPP_UNLIKELY(present & MPIPP_UNUSUAL))
    fine &= mpipp_filter_has_fine_rest(call, comm, doubt);
  if (present & MPIPP_HAS_REQUESTS) fine &= has_request_array(call, doubt);
  if (present & MPIPP_HAS_REQUESTS && takes_requests(call)) fine &= has_fine_requests(call, doubt);
  uint32_t count = call->buffer_count;
  own->count = count;
  for (uint32_t i = 0; i < count; i++) fine &= mpipp_filter_box_of(call, i, &own->boxes[i], doubt);
  for (uint32_t i = 1; MPIPP_UNLIKELY(i < count); i++) {
    for (uint32_t k = 0; k < i; k++)
      fine &= mpipp_filter_are_disjoint(call, own->boxes, k, i, doubt);
  }
  if (MPIPP_UNLIKELY(!fine)) {
    mpipp_doubt(doubt, (uint64_t)call->procedure << 32 | present);
    mpipp_doubt(doubt, call->caller);
    mpipp_doubt(doubt, mpipp_proc_null_sides(call));
    if (comm && present & MPIPP_HAS_ROOT)
      mpipp_doubt(doubt, (uint64_t)(comm->rank == call->root) << 1 | (comm->inter != 0));
  }
  return fine;
}

static int begins_split(const struct mpipp_call *call) {
  return mpipp_facts[call->procedure].form == MPIPP_FORM_SPLIT_BEGIN;
}

static int stays_pending(const struct mpipp_call *call) {
  unsigned form = mpipp_facts[call->procedure].form;
  return form == MPIPP_FORM_NONBLOCKING || form == MPIPP_FORM_REQUEST_BASED;
}

// Remembers that the call is cleared, and the pairs of overlapping operations, except for overlaps
// that were not queried.
static void learn(const struct mpipp_call *call, const struct mpipp_sums *sums,
                  const struct mpipp_doubt *doubt, const struct mpipp_meetings *meetings) {
  if (sums && (!doubt || !mpipp_filter_is_new_doubt(doubt)))
    mpipp_filter_remember_clearance(sums->call);
  mpipp_filter_remember_meetings(call, meetings);
}

// Keeps the boxes of calls that other threads were already inside of when boxes were first kept.
// Calls of v and w forms have no boxes, because their arrays are in the program's memory, and may
// be gone.
static void keep_threads(const struct mpipp_thread *thread) {
  struct mpipp_thread *other = NULL;
  while ((other = mpipp_recorder_next_thread(thread, other))) {
    const struct mpipp_call *call = &other->call;
    struct mpipp_owner owner = {(uintptr_t)other | MPIPP_OF_THREAD, MPIPP_READ(call->serial)};
    int plain = mpipp_is_owner_active(owner) && call->buffer_count <= MPIPP_MAX_BUFFERS &&
                !(call->present & MPIPP_HAS_VECTORS);
    if (!plain || mpipp_facts[call->procedure].form != MPIPP_FORM_BLOCKING) continue;
    struct mpipp_own boxes;
    mpipp_filter_boxes_of(call, &boxes);
    if (mpipp_is_owner_active(owner)) mpipp_filter_add_pending(call, &boxes, owner);
  }
}

static void keep_boxes(const struct mpipp_thread *thread) {
  static int threads_kept = 0;
  mpipp_filter_keep_boxes();
  if (!threads_kept) keep_threads(thread);
  threads_kept = 1;
}

static int filter_slow(struct mpipp_thread *thread, int *refused) {
  struct mpipp_call *call = &thread->call;
  struct mpipp_sums sums;
  struct mpipp_doubt doubt = {0};
  struct mpipp_meetings meetings;
  struct mpipp_own *own = boxes_of(thread);
  mpipp_filter_meetings_open(&meetings);
  own->over = MPIPP_NO_BOX;
  int summed = mpipp_filter_sum_up(call, &sums);
  int fine = is_fine(call, own, &doubt), later = 0, locked = mpipp_lock_kind(MPIPP_REQUEST);
  if (MPIPP_UNLIKELY(mpipp_registry_several_threads)) keep_boxes(thread);
  if (call->buffer_count) {
    unsigned form = mpipp_facts[call->procedure].form;
    if (form != MPIPP_FORM_PERSISTENT && form != MPIPP_FORM_PARTITIONED)
      mpipp_filter_meet_pending(call, own, (struct mpipp_owner){0, 0}, &meetings);
    later = (mpipp_filter_keeps_boxes && stays_pending(call)) || begins_split(call);
    if (MPIPP_UNLIKELY(mpipp_registry_several_threads) && form == MPIPP_FORM_BLOCKING)
      mpipp_filter_add_pending(
          call, own, (struct mpipp_owner){(uintptr_t)thread | MPIPP_OF_THREAD, call->serial});
  } else if (starts(call)) {
    // Before the start, another thread might take the requests for completed ones, and remove their
    // boxes.
    int are_kept =
        mpipp_filter_meet_starting(call, &meetings) && !MPIPP_READ(mpipp_registry_several_threads);
    later = mpipp_filter_keeps_boxes && !are_kept;
  } else if (marks_ready(call)) {
    mpipp_filter_meet_ready(call, &meetings);
  }
  int asks = !fine && mpipp_filter_is_new_doubt(&doubt);
  if (MPIPP_UNLIKELY(asks) && is_fine(call, own, NULL)) {
    mpipp_filter_remember(&doubt);
    asks = 0;
  }
  mpipp_registry.unasked += (uint64_t)meetings.too_many;
  mpipp_unlock_kind(locked);
  if (MPIPP_UNLIKELY(asks || meetings.count))
    *refused = mpipp_filter_ask(thread, asks ? &doubt : NULL, meetings.met, meetings.count);
  if (!MPIPP_READ(mpipp_registry_several_threads)) {
    learn(call, summed ? &sums : NULL, fine ? NULL : &doubt, &meetings);
    if (fine) mpipp_filter_remember_reduction(call);
  }
  return later;
}

// Returns whether a call is plain (see mpipp_is_plain). The call's send buffers may also be
// constants, and its buffers may be large.
static int is_plain(struct mpipp_call *call) {
  return mpipp_is_plain(call, MPIPP_FIRST_ADDRESS, INT64_MAX) &&
         mpipp_is_placed(call->low, call->high, call->buffers[0].access & MPIPP_WRITES,
                         call->high - call->low);
}

// For a plain call while boxes are kept: returns whether it overlaps no pending operation.
static int is_plain_call(struct mpipp_thread *thread) {
  const struct mpipp_call *call = &thread->call;
  struct mpipp_own *own = boxes_of(thread);
  if (!mpipp_filter_keeps_boxes || !is_plain(&thread->call)) return 0;
  own->count = 1;
  own->boxes[0] =
      (struct mpipp_box){call->low, call->high, call->buffers[0].access / MPIPP_WRITES & 1, 0};
  return mpipp_has_no_overlap(&own->boxes[0], &own->over);
}

// Returns whether a call that creates, commits or frees a datatype, or reduces data, is certainly
// valid.
static int is_usual(struct mpipp_call *call) {
  if (call->present == MPIPP_HAS_CONSTRUCTOR)
    return mpipp_is_mpi_available() && mpipp_filter_is_fine_constructor(call, NULL);
  return call->buffer_count == 2 &&
         MPIPP_READ(MPIPP_READ(mpipp_filter_last_comm)->object.live) == call->comm &&
         mpipp_filter_is_repeated_reduction(call) && mpipp_meets_no_request(call);
}

int mpipp_filter_check(struct mpipp_thread *thread, int *refused) {
  struct mpipp_call *call = &thread->call;
  if (MPIPP_UNLIKELY(MPIPP_READ(mpipp_registry_several_threads)))
    return filter_slow(thread, refused);
  if (is_usual(call)) return 0;
  // The call has another communicator than the last one, sends a constant, or has a large buffer.
  if (call->present & MPIPP_HAS_COMM && mpipp_filter_is_plain_comm(call->comm) && is_plain(call) &&
      mpipp_meets_no_request(call))
    return 0;
  if (is_plain_call(thread)) return (call->present & MPIPP_HAS_REQUESTS) != 0;
  return mpipp_filter_is_repeated_call(thread) ? 0 : filter_slow(thread, refused);
}

// The record of the request that the call has created; NULL for the null request, or if it is not
// recorded.
static struct mpipp_request *made_request(const struct mpipp_call *call) {
  uint64_t handle = MPIPP_KEY(*(const MPI_Request *)(uintptr_t)call->requests);
  struct mpipp_request *request = mpipp_find_live(MPIPP_REQUEST, handle);
  if (request && request->newer && request->newest) request = (void *)(uintptr_t)request->newest;
  return request && request->call.serial == call->serial && request->call.frame == call->frame
             ? request
             : NULL;
}

// The file on which the call has begun a split collective operation; NULL if it is not recorded.
static const struct mpipp_file *split_file(const struct mpipp_call *call) {
  const struct mpipp_file *file = mpipp_find_live(MPIPP_FILE, call->file);
  return file && file->split_pending && file->call.serial == call->serial &&
                 file->call.frame == call->frame
             ? file
             : NULL;
}

void mpipp_filter_note_return_slow(struct mpipp_thread *thread) {
  const struct mpipp_call *call = &thread->call;
  int locked = mpipp_lock_kind(MPIPP_REQUEST);
  if (starts(call)) {
    mpipp_filter_keep_starts(call);
  } else if (begins_split(call)) {
    const struct mpipp_file *file = split_file(call);
    mpipp_filter_keep_boxes(); // a split call is no request, so it is found only by its box
    if (file)
      mpipp_filter_add_pending(
          call, boxes_of(thread),
          (struct mpipp_owner){(uintptr_t)file | MPIPP_OF_FILE, file->split_number});
  } else if (call->present & MPIPP_HAS_REQUESTS) {
    const struct mpipp_request *request = made_request(call);
    if (request)
      mpipp_filter_add_pending(call, boxes_of(thread),
                               (struct mpipp_owner){(uintptr_t)request, request->object.serial});
  }
  mpipp_unlock_kind(locked);
}
