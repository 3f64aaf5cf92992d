// SPDX-License-Identifier: MIT
#include "buffer_guard/reporting/accesses.h"

#include <stddef.h>

#include "abi/library_version.h"
#include "abi/mpi_symbols.h"
#include "abi/vendor.h"
#include "buffer_guard/faults/stack_frames.h"
#include "buffer_guard/memory/pages.h"
#include "buffer_guard/operations/rma_requests.h"
#include "generated/procedures.h"
#include "layout/strided_blocks.h"
#include "recorder/requests/shared_handles.h"
#include "recorder/threads/threads.h"
#include "watcher_client/queries.h"

int (*mpipp_guard_deferral)(MPI_Request request) = NULL;

enum { KNOWN = 1024, DEEP = 3, MOST_KEPT = 32 };

// Checksums of the accesses that were already queried. The lowest bit is 1 if the data had not been
// moved.
static uint64_t known[KNOWN];
// Checksums of the accesses whose operation is still active, and their number.
static uint64_t kept[KNOWN], kept_count;

// A checksum of an instruction with its callers, and of the place of its operation.
static uint64_t sum_of(const struct mpipp_touch *touch, const struct mpipp_call *call) {
  uint64_t sum = (touch->instruction ^ call->caller << 16) + touch->stores + 1;
  for (uint64_t i = 0; i < DEEP; i++) {
    sum = (sum ^ (i < touch->count ? touch->callers[i] : 0)) * 0xBF58476D1CE4E5B9u;
    sum ^= sum >> 29;
  }
  return sum | 1;
}

struct mpipp_request *mpipp_guard_pending_request(uint64_t handle, uint64_t serial) {
  if (serial & MPIPP_ACCESS) return mpipp_guard_access_record(serial);
  struct mpipp_request *request = mpipp_registry_find_locked(MPIPP_REQUEST, handle);
  while (request && request->object.serial != serial)
    request = (struct mpipp_request *)(uintptr_t)request->newer;
  return request && request->state == MPIPP_REQUEST_ACTIVE ? request : NULL;
}

int mpipp_guard_pending_copy(uint64_t handle, uint64_t serial, struct mpipp_request *copy) {
  mpipp_registry_lock();
  const struct mpipp_request *request = mpipp_guard_pending_request(handle, serial);
  if (request) *copy = *request;
  mpipp_registry_unlock();
  return request != NULL;
}

// Returns whether MPI had moved the data when the program called it next. The result is unknown if
// another thread may be completing the operation.
static enum mpipp_moved query_move_state(const struct mpipp_touch *touch, int is_persistent) {
  if (MPIPP_READ(mpipp_registry_several_threads) || touch->serial & MPIPP_ACCESS)
    return MPIPP_MOVED_UNKNOWN;
  int flag = 0;
  MPI_Request request = (MPI_Request)(uintptr_t)touch->request;
  int late = mpipp_guard_deferral ? mpipp_guard_deferral(request) : 0;
  if (late == MPIPP_DEFERRAL_NOT_STARTED) return MPIPP_NOT_MOVED;
  if ((is_persistent || late) && !mpipp_abi_keeps_persistent_requests()) return MPIPP_MOVED_UNKNOWN;
  if (PMPI(Request_get_status)(request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return MPIPP_MOVED_UNKNOWN;
  if (!flag) return MPIPP_NOT_MOVED;
  if (!touch->receives) return MPIPP_MOVED;
  // The test call lets MPI store data that has arrived. Then the program's stores cannot be
  // distinguished from that data.
  if (touch->stores || touch->sum == MPIPP_TOUCH_NO_SUM) return MPIPP_MOVED_UNKNOWN;
  uint64_t sum = mpipp_guard_pages_sum(mpipp_page_down(touch->address));
  if (sum == MPIPP_TOUCH_NO_SUM) return MPIPP_MOVED_UNKNOWN;
  return sum == touch->sum ? MPIPP_MOVED : MPIPP_NOT_MOVED;
}

static enum mpipp_ends effect_of_procedure(const struct mpipp_call *call) {
  switch (call->procedure) {
  case MPIPP_PROC_Wait:
  case MPIPP_PROC_Waitall:
    return MPIPP_ENDS;
  case MPIPP_PROC_Waitany:
  case MPIPP_PROC_Waitsome:
  case MPIPP_PROC_Test:
  case MPIPP_PROC_Testall:
  case MPIPP_PROC_Testany:
  case MPIPP_PROC_Testsome:
    return MPIPP_ENDS_MAYBE;
  case MPIPP_PROC_Request_free:
    return MPIPP_ENDS_FREED;
  case MPIPP_PROC_Finalize:
    return MPIPP_ENDS_NEVER;
  default:
    return MPIPP_ENDS_NOT;
  }
}

// The effect of the thread's call on a request. If several requests have one handle, the call
// affects the one whose handle MPI stored at the passed address. The caller holds the store's lock.
static enum mpipp_ends effect_of_call(const struct mpipp_call *call,
                                      const struct mpipp_request *request) {
  const struct mpipp_call *of = &request->call;
  if (of->present & MPIPP_HAS_WIN && mpipp_guard_completes_accesses(call, of->win, of->target_rank))
    return MPIPP_ENDS;
  enum mpipp_ends ends = effect_of_procedure(call);
  const MPI_Request *given = (const MPI_Request *)(uintptr_t)call->requests;
  if (ends == MPIPP_ENDS_NEVER) return ends;
  if (ends == MPIPP_ENDS_NOT || !given) return MPIPP_ENDS_NOT;
  int is_given = 0;
  for (int64_t i = 0; i < call->request_count; i++) {
    if (MPIPP_KEY(given[i]) != request->object.handle) continue;
    if ((uintptr_t)&given[i] == request->call.requests) return ends;
    is_given = 1;
  }
  const struct mpipp_request *first =
      mpipp_registry_find_locked(MPIPP_REQUEST, request->object.handle);
  int is_alone = first == request && !request->newer;
  return !is_given ? MPIPP_ENDS_NOT : is_alone ? ends : MPIPP_ENDS_MAYBE;
}

static int was_queried(uint64_t sum, enum mpipp_moved moved) {
  uint64_t before = known[sum % KNOWN];
  return before == sum || (moved == MPIPP_MOVED && (before | 1) == sum);
}

// The caller holds the store's lock.
static void query(const struct mpipp_touch *touch, const struct mpipp_request *request,
                  enum mpipp_ends ends, struct mpipp_frame frame) {
  struct mpipp_asking asking;
  mpipp_watcher_ask_begin(&asking, mpipp_recorder_self);
  if (asking.question) asking.question->awaits = MPIPP_AWAITS_TOUCH;
  mpipp_watcher_ask_pending(&asking, request);
  mpipp_watcher_ask_touch(&asking,
                          (struct mpipp_touched){touch->serial, touch->address, touch->tid,
                                                 touch->stores, touch->moved, ends, touch->bytes},
                          touch->instruction, touch->callers, touch->count);
  mpipp_guard_query_frame(&asking, frame);
  uint64_t sum = sum_of(touch, &request->call);
  if (mpipp_watcher_ask_end(&asking))
    known[sum % KNOWN] = touch->moved == MPIPP_MOVED ? sum & ~(uint64_t)1 : sum;
}

// The caller holds the store's lock.
static void keep(const struct mpipp_touch *touch, int is_kept) {
  uint64_t *place = &kept[touch->place % KNOWN];
  kept_count -= *place != 0;
  *place = is_kept ? touch->place : 0;
  kept_count += (uint64_t)is_kept;
}

// The request of the accessed operation, if no access from that place is reported yet, and this is
// its first; else NULL. The caller holds the store's lock.
static struct mpipp_request *reportable_request(const struct mpipp_touch *touch) {
  struct mpipp_request *request = mpipp_guard_pending_request(touch->request, touch->serial);
  uint64_t sum = request ? sum_of(touch, &request->call) : 0;
  if (!request || was_queried(sum, touch->place ? touch->moved : MPIPP_NOT_MOVED)) return NULL;
  return touch->place || kept[sum % KNOWN] != sum ? request : NULL;
}

static int report(struct mpipp_touch *touch, void *with) {
  mpipp_registry_lock();
  struct mpipp_request *request = reportable_request(touch);
  uint64_t place = request ? sum_of(touch, &request->call) : touch->place;
  int is_persistent = request && request->persistent;
  mpipp_registry_unlock();
  struct mpipp_frame frame = {0};
  if (request) frame = mpipp_guard_frame_of(touch->address);
  if (request && !touch->place) touch->moved = query_move_state(touch, is_persistent);
  if (place) touch->place = place;
  mpipp_registry_lock();
  request = request ? reportable_request(touch) : NULL;
  enum mpipp_ends ends = request ? effect_of_call(with, request) : MPIPP_ENDS_NOT;
  int is_over = !request || ends != MPIPP_ENDS_NOT || kept_count == MOST_KEPT;
  if (request && is_over) query(touch, request, ends, frame);
  if (place) keep(touch, !is_over);
  mpipp_registry_unlock();
  return is_over;
}

void mpipp_guard_report_accesses(const struct mpipp_call *call) {
  // MPI_Abort is different: the watcher has already checked, and has read the unreported accesses
  // itself.
  if (call->procedure != MPIPP_PROC_Abort)
    mpipp_guard_faults_visit(0, report, (void *)(uintptr_t)call);
}

// Returns whether the thread is in a call that tests for completion, and completes nothing itself.
static int is_asking(void) {
  switch (mpipp_recorder_self->call.procedure) {
  case MPIPP_PROC_Request_get_status:
  case MPIPP_PROC_Request_get_status_all:
  case MPIPP_PROC_Request_get_status_any:
  case MPIPP_PROC_Request_get_status_some:
    return 1;
  default:
    return 0;
  }
}

static int report_ended_access(struct mpipp_touch *touch, void *with) {
  const struct mpipp_request *request = with;
  struct mpipp_frame frame = mpipp_guard_frame_of(touch->address);
  mpipp_registry_lock();
  // The access was kept because its operation was active when the call began.
  enum mpipp_ends ends = touch->place && is_asking() ? MPIPP_ENDS : MPIPP_ENDS_MEANWHILE;
  if (!was_queried(sum_of(touch, &request->call), touch->moved)) query(touch, request, ends, frame);
  if (touch->place) keep(touch, 0);
  mpipp_registry_unlock();
  return 1;
}

void mpipp_guard_report_completed_accesses(const struct mpipp_request *request) {
  if (MPIPP_READ(mpipp_guard_faults_count))
    mpipp_guard_faults_visit(request->object.serial, report_ended_access,
                             (void *)(uintptr_t)request);
}
