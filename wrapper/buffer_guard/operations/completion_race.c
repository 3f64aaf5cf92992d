// SPDX-License-Identifier: MIT
#include "buffer_guard/operations/completion_race.h"

#include <stddef.h>

#include "abi/mpi_symbols.h"
#include "abi/vendor.h"
#include "buffer_guard/operations/rma_requests.h"
#include "recorder/requests/completion_calls.h"

// The number of this thread's calls that may complete requests. The variable's address identifies
// the thread.
static __thread uint64_t claims __attribute__((tls_model("initial-exec")));

static int are_threads_concurrent(void) {
  static int known = 0, provided = MPI_THREAD_MULTIPLE, is_there = 0;
  if (known) return provided == MPI_THREAD_MULTIPLE;
  PMPI(Initialized)
  (&is_there); // 0 only in programs that use sessions, which may have any thread
               // level
  if (is_there) PMPI(Query_thread)(&provided);
  known = 1;
  return provided == MPI_THREAD_MULTIPLE;
}

int mpipp_guard_may_claim(const struct mpipp_call *call) {
  return mpipp_completes_requests(call->procedure) && call->requests && are_threads_concurrent();
}

static int is_claimed(const struct mpipp_guarded_operation *one) {
  return one->claimer == &claims && one->claim == claims;
}

// Claims the operation whose handle MPI has stored at `place`; if there is none, the newest with
// that handle.
static void claim_operation(uint64_t request, uint64_t place) {
  struct mpipp_guarded_operation *chosen = NULL, *one = NULL;
  while ((one = mpipp_guard_next_with_handle(request, one))) {
    if (one->serial & MPIPP_ACCESS || is_claimed(one)) continue;
    if (!chosen || (one->place == place && chosen->place != place)) chosen = one;
  }
  if (!chosen) return;
  chosen->claimer = &claims;
  chosen->claim = claims;
}

void mpipp_guard_claim(const struct mpipp_call *call) {
  const MPI_Request *requests = (const MPI_Request *)(uintptr_t)call->requests;
  claims++;
  for (int64_t i = 0; i < call->request_count; i++)
    claim_operation(MPIPP_KEY(requests[i]), (uintptr_t)&requests[i]);
}

static struct mpipp_guarded_operation *claimed_operation(uint64_t request, uint64_t serial) {
  struct mpipp_guarded_operation *found = NULL, *one = NULL;
  while ((one = mpipp_guard_next_with_handle(request, one))) {
    if (!is_claimed(one)) continue;
    if (one->serial == serial) return one;
    found = one;
  }
  return found;
}

struct mpipp_guarded_operation *mpipp_guard_event_operation(const struct mpipp_event *event) {
  const struct mpipp_object *request = event->object;
  struct mpipp_guarded_operation *named =
                                     mpipp_guard_find_operation(request->handle, request->serial),
                                 *own = NULL;
  if (event->kind == MPIPP_EVENT_COMPLETED)
    own = claimed_operation(request->handle, request->serial);
  if (!own || own == named) return named;
  if (named) mpipp_guard_doubt(named, NULL);
  return own;
}

int mpipp_guard_event_tests(const struct mpipp_event *event) {
  if (event->kind != MPIPP_EVENT_COMPLETED) return 0;
  switch (event->call->procedure) {
  case MPIPP_PROC_Request_get_status:
  case MPIPP_PROC_Request_get_status_all:
  case MPIPP_PROC_Request_get_status_any:
  case MPIPP_PROC_Request_get_status_some:
    return are_threads_concurrent();
  default:
    return 0;
  }
}

struct mpipp_guarded_operation *mpipp_guard_other_completion(const struct mpipp_object *request) {
  struct mpipp_guarded_operation *one = NULL;
  do one = mpipp_guard_next_with_handle(request->handle, one);
  while (one && one->serial & MPIPP_ACCESS);
  return one && one->serial != request->serial ? one : NULL;
}
