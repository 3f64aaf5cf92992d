// SPDX-License-Identifier: MIT
// A hook that guards the buffers of pending operations. MPI gets another mapping of the buffers'
// memory, so that the program's accesses can be forbidden.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "abi/mpi_symbols.h"
#include "abi/vendor.h"
#include "buffer_guard/budget/coverage.h"
#include "buffer_guard/budget/sampling.h"
#include "buffer_guard/budget/skipped_operations.h"
#include "buffer_guard/compare/memcheck.h"
#include "buffer_guard/faults/faults.h"
#include "buffer_guard/fork.h"
#include "buffer_guard/memory/pages.h"
#include "buffer_guard/memory/window_memory.h"
#include "buffer_guard/operations/completion_race.h"
#include "buffer_guard/operations/failed_waits.h"
#include "buffer_guard/operations/kept_operations.h"
#include "buffer_guard/operations/owned_bytes.h"
#include "buffer_guard/operations/pending.h"
#include "buffer_guard/operations/rma_requests.h"
#include "buffer_guard/platform/io_uring.h"
#include "buffer_guard/platform/lock.h"
#include "buffer_guard/platform/other_threads.h"
#include "buffer_guard/platform/safe_access.h"
#include "buffer_guard/reporting/accesses.h"
#include "buffer_guard/reporting/changes.h"
#include "buffer_guard/reporting/freed_memory.h"
#include "buffer_guard/reporting/syscalls.h"
#include "generated/facts.h"
#include "intercept/hooks.h"
#include "intercept/startup.h"
#include "registry/object_store.h"
#include "registry/registry.h"

enum { ORDER = 1000 }; // runs next to MPI: all other hooks see the program's own buffers

static int is_off = 0;
// The operation that the thread's call starts, and whether the thread is inside a call.
static __thread struct mpipp_guarded_operation *posted __attribute__((tls_model("initial-exec")));
static __thread int is_inside __attribute__((tls_model("initial-exec")));
static __thread uint64_t entered
    __attribute__((tls_model("initial-exec"))); // number of operations that had begun when the
                                                // thread's call was made

// Returns whether buffers of one operation overlap, and MPI writes to one of them. This may be an
// error, so the operation is not guarded.
static int are_mixed(const struct mpipp_guarded_operation *guarded) {
  for (uint32_t i = 1; i < guarded->part_count; i++) {
    for (uint32_t j = 0; j < i; j++) {
      const struct mpipp_part *one = &guarded->parts[i], *other = &guarded->parts[j];
      if ((one->writes | other->writes) && mpipp_guard_bytes_overlap(&one->bytes, &other->bytes))
        return 1;
    }
  }
  return 0;
}

// Makes a record that replaces the request of an operation without one. Returns 0 without memory.
static int name_operation(struct mpipp_guarded_operation *guarded, const struct mpipp_call *call) {
  uint64_t serial = mpipp_guard_access_open(call);
  if (serial) mpipp_guard_name(guarded, call->win, serial);
  return serial != 0;
}

static void drop(struct mpipp_guarded_operation *guarded) {
  uint64_t serial = guarded->serial;
  mpipp_guard_drop(guarded);
  mpipp_guard_access_close(serial);
}

static int is_partitioned(const struct mpipp_call *call) {
  return mpipp_facts[call->procedure].form == MPIPP_FORM_PARTITIONED;
}

// Guards as many of the call's buffers as possible. Returns NULL if none can be guarded.
static struct mpipp_guarded_operation *guard_buffers(const struct mpipp_call *call) {
  struct mpipp_guarded_operation *guarded = mpipp_guard_new();
  if (guarded) guarded->persistent = mpipp_guard_turn_is_persistent(call);
  for (uint32_t i = 0; guarded && i < call->buffer_count; i++) {
    struct mpipp_bytes bytes;
    int writes = (call->buffers[i].access & MPIPP_WRITES) != 0;
    if (!mpipp_guard_uses_buffer(call, i) || !mpipp_guard_bytes_of_call(call, i, &bytes)) continue;
    if (mpipp_guard_is_exposed(bytes.low, bytes.high))
      mpipp_guard_bytes_give(&bytes);
    else if (is_partitioned(call))
      mpipp_guard_add_partitions(guarded, &bytes, call, i, writes);
    else
      mpipp_guard_add(guarded, &bytes, i, writes);
  }
  if (!guarded) return NULL;
  int fine = guarded->part_count && !are_mixed(guarded);
  guarded->procedure = call->procedure;
  guarded->win = call->present & MPIPP_HAS_WIN ? call->win : 0;
  guarded->target = call->target_rank;
  if (guarded->win && !(call->present & MPIPP_HAS_REQUESTS))
    fine = fine && name_operation(guarded, call);
  if (fine && (guarded->persistent || mpipp_guard_fill(guarded, 1))) return guarded;
  drop(guarded);
  return NULL;
}

// Passes MPI the addresses of other memory for the guarded buffers.
static void pass_addresses(struct mpipp_passage *passage,
                           const struct mpipp_guarded_operation *guarded) {
  for (uint32_t i = 0; i < guarded->part_count; i++) {
    const struct mpipp_part *part = &guarded->parts[i];
    passage->addresses[part->buffer] = passage->call->buffers[part->buffer].address + part->shift;
  }
}

// Counts one more guarded operation for its place.
static void count(const struct mpipp_guarded_operation *guarded) {
  struct mpipp_cover *cover = guarded->cover;
  uint64_t *counted = &cover->nothing; // until a part is found that is protected or compared
  for (uint32_t i = 0; i < guarded->part_count; i++) {
    const struct mpipp_part *part = &guarded->parts[i];
    if (part->alias && !part->is_open)
      counted = &cover->pages;
    else if (counted == &cover->nothing && (!part->alias || part->compared))
      counted = &cover->compared;
  }
  if (counted == &cover->pages) mpipp_guard_faults_refresh();
  ++*counted;
}

static struct mpipp_guarded_operation *guard_call(struct mpipp_passage *passage,
                                                  struct mpipp_cover *cover) {
  uint64_t refused = mpipp_guard_refused_aliases;
  if (is_partitioned(passage->call))
    mpipp_guard_faults_catch(); // other threads that store to the pages meanwhile have to wait
  struct mpipp_guarded_operation *guarded = guard_buffers(passage->call);
  mpipp_registry.crowded += mpipp_guard_refused_aliases != refused;
  if (!guarded) {
    mpipp_guard_skip(cover, mpipp_guard_turn_is_persistent(passage->call), 0);
    return NULL;
  }
  guarded->cover = cover;
  mpipp_guard_coverage_begin(cover);
  pass_addresses(passage, guarded);
  if (!guarded->persistent) count(guarded);
  return guarded;
}

static void post(struct mpipp_passage *passage) {
  mpipp_guard_lock();
  uint64_t since = mpipp_guard_ticks();
  struct mpipp_cover *cover = mpipp_guard_turn_take(passage->call);
  if (mpipp_guard_named_count) mpipp_guard_faults_refresh();
  posted = cover ? guard_call(passage, cover) : NULL;
  if (cover) mpipp_guard_coverage_spend(cover, since);
  mpipp_guard_unlock();
}

// Copies that MPI reads must be updated in any case, even if the budget leaves no time for the
// operation. In that case the time of the copy does not count: otherwise such copies would use up
// the budget.
static void start_operation(struct mpipp_guarded_operation *guarded) {
  uint64_t since = mpipp_guard_ticks();
  int looks = mpipp_guard_coverage_affords(guarded->cover);
  if (guarded->parts->partitions) mpipp_guard_faults_catch();
  mpipp_guard_fill(guarded, looks);
  if (looks) {
    mpipp_guard_coverage_begin(guarded->cover);
    count(guarded);
    mpipp_guard_coverage_spend(guarded->cover, since);
  } else {
    guarded->cover->skipped++;
  }
}

// Prepares the persistent operations that a call is about to start.
static void start(const struct mpipp_call *call) {
  const MPI_Request *requests = (const MPI_Request *)(uintptr_t)call->requests;
  mpipp_guard_lock();
  for (int64_t i = 0; requests && i < call->request_count; i++) {
    struct mpipp_guarded_operation *guarded = mpipp_guard_find_operation(MPIPP_KEY(requests[i]), 0);
    if (!guarded) mpipp_guard_skip_note_start(MPIPP_KEY(requests[i]));
    if (guarded && guarded->state == MPIPP_GUARDED_INACTIVE) start_operation(guarded);
  }
  mpipp_guard_unlock();
}

static int64_t number_in(const struct mpipp_call *call, uint32_t input, int64_t index) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  return ((const int *)inputs[input].values)[index];
}

// Updates partitions that a call marks ready, or reports as arrived.
static void mark(const struct mpipp_call *call) {
  const MPI_Request *request = (const MPI_Request *)(uintptr_t)call->requests;
  int is_list = call->procedure == MPIPP_PROC_Pready_list;
  int64_t first = is_list ? 0 : number_in(call, 0, 0);
  int64_t last = is_list ? number_in(call, 0, 0) - 1 : first;
  if (call->procedure == MPIPP_PROC_Pready_range) last = number_in(call, 1, 0);
  mpipp_guard_lock();
  struct mpipp_guarded_operation *guarded = mpipp_guard_find_operation(MPIPP_KEY(*request), 0);
  for (int64_t i = first; guarded && i <= last; i++)
    mpipp_guard_mark(guarded, is_list ? number_in(call, 1, i) : i);
  mpipp_guard_unlock();
}

// Ends an operation on a window, and reports the change that was found. The caller holds the lock,
// which is released for a moment.
static void end_access(struct mpipp_guarded_operation *guarded) {
  struct mpipp_change change;
  uint64_t handle = guarded->request, serial = guarded->serial;
  struct mpipp_request request;
  int found = mpipp_guard_end(guarded, &change);
  mpipp_guard_unlock();
  int any = found || MPIPP_READ(mpipp_guard_faults_count);
  if (any && mpipp_guard_pending_copy(handle, serial, &request)) {
    mpipp_guard_report_completed_accesses(&request);
    if (found) mpipp_guard_report_change(&request, &change);
  }
  mpipp_guard_access_close(serial);
  mpipp_guard_lock();
}

// Ends the complete operations of a window; all of them if `call` is NULL. Operations that other
// threads have begun since the call was made may still be active.
static void end_accesses(uint64_t win, const struct mpipp_call *call) {
  struct mpipp_guarded_operation *one = NULL;
  mpipp_guard_lock();
  while ((one = mpipp_guard_next_on_window(one, win))) {
    if (!call || (one->number <= entered && mpipp_guard_completes_accesses(call, win, one->target)))
      end_access(one);
  }
  mpipp_guard_unlock();
}

// Reports pending buffers on the thread's stack whose functions have returned.
static void report_dangling(uint64_t frame) {
  for (int more = 1; more;) {
    uint64_t address = 0, request = 0, serial = 0;
    mpipp_guard_lock();
    const struct mpipp_guarded_operation *gone = mpipp_guard_next_dangling(frame, &address);
    more = gone != NULL;
    if (gone) {
      request = gone->request;
      serial = gone->serial;
    }
    mpipp_guard_unlock();
    const struct mpipp_change change = {.kind = MPIPP_CHANGE_GONE, .address = address};
    if (more) mpipp_guard_report_pending_change(request, serial, &change);
  }
}

// At the end, reports the program's stores to buffers of operations that are still pending. A
// signal handler may end the process while the interrupted thread holds the lock: then it reports
// nothing.
static void report_pending(void) {
  struct mpipp_guarded_operation *one = NULL;
  struct mpipp_change change;
  if (!mpipp_guard_try_lock()) return;
  if (mpipp_guard_any_operation()) mpipp_guard_faults_catch();
  while ((one = mpipp_guard_next_changed(one, &change)))
    mpipp_guard_report_pending_change(one->request, one->serial, &change);
  mpipp_guard_unlock();
}

// The thread's previous call never returned. The operation that it started no longer belongs to
// MPI. Operations for which that call waited may have completed unseen.
static void abandon_call(void) {
  mpipp_guard_kept_abandon_test();
  mpipp_guard_lock();
  if (posted) mpipp_guard_drop(posted);
  posted = NULL;
  mpipp_guard_snapshots_abandon_call();
  mpipp_guard_unlock();
}

static int enter(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  if (MPIPP_READ(is_off)) return MPIPP_GO_ON;
  if (MPIPP_UNLIKELY(is_inside)) abandon_call();
  is_inside = 1;
  entered = MPIPP_READ(mpipp_guard_begun_count);
  if (MPIPP_UNLIKELY(MPIPP_READ(mpipp_guard_faults_count))) mpipp_guard_report_accesses(call);
  if (MPIPP_UNLIKELY(mpipp_guard_snapshots_may_dangle(call->frame))) report_dangling(call->frame);
  mpipp_guard_test_kept_requests(call->procedure == MPIPP_PROC_Finalize);
  mpipp_guard_threads_before_init(call);
  if (call->procedure == MPIPP_PROC_Finalize) report_pending();
  if (call->procedure == MPIPP_PROC_Request_free) return mpipp_guard_keep_freed_request(passage);
  if (call->procedure == MPIPP_PROC_Start || call->procedure == MPIPP_PROC_Startall) start(call);
  if (call->procedure == MPIPP_PROC_Pready || call->procedure == MPIPP_PROC_Pready_range ||
      call->procedure == MPIPP_PROC_Pready_list)
    mark(call);
  if (call->procedure == MPIPP_PROC_Win_free && passage->handle)
    end_accesses(MPIPP_KEY(*(const MPI_Win *)passage->handle), NULL);
  if (MPIPP_READ(mpipp_guard_named_count) && mpipp_guard_may_claim(call)) {
    mpipp_guard_lock();
    mpipp_guard_claim(call);
    mpipp_guard_unlock();
  }
  if (mpipp_guard_turn_is_possible(call)) post(passage);
  if (mpipp_guard_memcheck) mpipp_guard_memcheck_enter();
  return MPIPP_GO_ON;
}

// Ends the operations that the program has not completed, when MPI is finalized.
static void end_operations(void) {
  struct mpipp_guarded_operation *guarded;
  mpipp_guard_lock();
  while ((guarded = mpipp_guard_any_operation())) {
    mpipp_guard_end(guarded, NULL);
    if (guarded->state == MPIPP_GUARDED_INACTIVE) mpipp_guard_drop(guarded);
  }
  mpipp_guard_unlock();
}

static void end_failed_operations(const struct mpipp_passage *passage) {
  const MPI_Request *requests = (const MPI_Request *)(uintptr_t)passage->call->requests;
  mpipp_guard_lock();
  for (int64_t i = 0; i < passage->call->request_count; i++) {
    struct mpipp_guarded_operation *guarded = mpipp_guard_find_operation(MPIPP_KEY(requests[i]), 0);
    if (guarded && guarded->persistent && mpipp_guard_may_be_complete(passage, i))
      mpipp_guard_end(guarded, NULL);
  }
  mpipp_guard_unlock();
}

static void expose_more(void) {
  mpipp_guard_lock();
  mpipp_guard_expose();
  mpipp_guard_unlock();
}

// The guard notices rings of io_uring that are created in other ways at the next exchange of pages.
// This may be called in a signal handler whose thread holds the lock.
void mpipp_system_note_ring(void) {
  __atomic_store_n(&mpipp_guard_uses_io_uring, 1, __ATOMIC_RELAXED);
  if (!mpipp_guard_locked) expose_more();
}

static void skip(const struct mpipp_call *call) {
  mpipp_guard_lock();
  mpipp_guard_skip_note_request(MPIPP_KEY(*(const MPI_Request *)(uintptr_t)call->requests));
  mpipp_guard_unlock();
}

static void leave(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  struct mpipp_guarded_operation *guarded = posted;
  posted = NULL;
  is_inside = 0;
  if (MPIPP_READ(is_off)) return;
  if (mpipp_guard_memcheck) mpipp_guard_memcheck_leave();
  mpipp_guard_threads_after_init(call);
  // Messages that this call received may show the program that an earlier operation is complete.
  if (call->procedure == MPIPP_PROC_Finalize)
    end_operations();
  else
    mpipp_guard_test_kept_requests(0);
  if (mpipp_guard_has_failed(passage)) end_failed_operations(passage);
  if (call->present & MPIPP_HAS_WIN && !call->buffer_count) end_accesses(call->win, call);
  if (call->procedure == MPIPP_PROC_Parrived && passage->code == MPI_SUCCESS && *passage->flag)
    mark(call);
  if (call->procedure == MPIPP_PROC_Win_attach) expose_more();
  if (mpipp_guard_skips() && passage->code == MPI_SUCCESS) skip(call);
  if (!guarded) return;
  struct mpipp_cover *cover = guarded->cover;
  uint64_t since = mpipp_guard_ticks();
  mpipp_guard_lock();
  if (passage->code != MPI_SUCCESS)
    drop(guarded);
  else if (!guarded->serial) // an operation without a request
    mpipp_guard_end(guarded, NULL);
  else if (guarded->persistent)
    mpipp_guard_set_inactive(guarded);
  else
    mpipp_guard_begin(guarded);
  mpipp_guard_coverage_spend(cover, since);
  mpipp_guard_unlock();
}

static void expose(const struct mpipp_event *event) {
  mpipp_guard_lock();
  mpipp_guard_note_window(event);
  if (event->kind == MPIPP_EVENT_MADE) mpipp_guard_expose();
  mpipp_guard_unlock();
}

// Returns whether an event may concern a guarded operation. Tests it without the lock, because most
// events concern none if guarding every operation would take too long.
static int is_concerned(uint32_t kind) {
  return kind == MPIPP_EVENT_MADE ? posted != NULL : MPIPP_READ(mpipp_guard_named_count) != 0;
}

static void end_other_operation(const struct mpipp_object *of) {
  struct mpipp_change change;
  mpipp_guard_lock();
  struct mpipp_guarded_operation *beside = mpipp_guard_other_completion(of);
  uint64_t request = beside ? beside->request : 0, serial = beside ? beside->serial : 0;
  int found = beside && mpipp_guard_end(beside, &change);
  mpipp_guard_unlock();
  if (found) mpipp_guard_report_pending_change(request, serial, &change);
}

static void event(const struct mpipp_event *event) {
  const struct mpipp_object *request = event->object;
  struct mpipp_change change;
  int found = 0;
  if (MPIPP_READ(is_off)) return;
  if (request->kind == MPIPP_WIN) expose(event);
  if (request->kind != MPIPP_REQUEST || !is_concerned(event->kind)) return;
  if (mpipp_guard_event_tests(event)) end_other_operation(request);
  mpipp_guard_lock();
  uint64_t since = mpipp_guard_ticks();
  struct mpipp_guarded_operation *guarded = mpipp_guard_event_operation(event);
  struct mpipp_cover *cover = guarded && guarded->looks ? guarded->cover : NULL;
  int is_named = guarded && guarded->serial == request->serial;
  if (event->kind == MPIPP_EVENT_MADE) {
    if (posted && !posted->serial) {
      mpipp_guard_name(posted, request->handle, request->serial);
      posted->place = ((const struct mpipp_request *)request)->call.requests;
    }
  } else if (guarded && event->kind == MPIPP_EVENT_STARTED) {
    mpipp_guard_begin(guarded);
  } else if (guarded && event->kind == MPIPP_EVENT_COMPLETED) {
    found = mpipp_guard_end(guarded, &change);
  } else if (guarded && event->kind == MPIPP_EVENT_DOUBTED) {
    found = mpipp_guard_doubt(guarded, &change);
  } else if (guarded && event->kind == MPIPP_EVENT_FREED) {
    // Not a kept operation: the freed request is another one with the same handle.
    found = mpipp_guard_end(guarded, &change);
    if (guarded->state == MPIPP_GUARDED_INACTIVE) mpipp_guard_drop(guarded);
  }
  if (cover) mpipp_guard_coverage_spend(cover, since);
  mpipp_guard_unlock();
  const struct mpipp_request *record = (const struct mpipp_request *)request;
  if (is_named && event->kind == MPIPP_EVENT_COMPLETED)
    mpipp_guard_report_completed_accesses(record);
  if (found && is_named) mpipp_guard_report_change(record, &change);
}

static int wants(const struct mpipp_call *call);

static struct mpipp_hook hook = {
    .enter = enter, .leave = leave, .event = event, .wants = wants, .deaf = 1, .order = ORDER};

static int concerns_persistent(uint32_t procedure) {
  return procedure == MPIPP_PROC_Start || procedure == MPIPP_PROC_Startall ||
         procedure == MPIPP_PROC_Request_free;
}

// Returns whether the guard has work at a call: operations are guarded or about to be, or findings
// have to be reported.
static int wants(const struct mpipp_call *call) {
  if (MPIPP_READ(is_off)) return 0;
  // The program's signal handler has jumped out of the previous call, which held the lock.
  if (MPIPP_UNLIKELY(is_inside) && mpipp_guard_try_was_abandoned()) mpipp_guard_unlock();
  int comes = mpipp_guard_turn_comes(&hook, call);
  return comes || is_inside || mpipp_guard_memcheck || MPIPP_READ(mpipp_guard_faults_count) ||
         (MPIPP_READ(mpipp_guard_skip_count) && concerns_persistent(call->procedure)) ||
         call->procedure == MPIPP_PROC_Win_attach || call->procedure == MPIPP_PROC_Finalize ||
         mpipp_guard_is_init(call);
}

static void after_fork_in_child(void) {
  mpipp_guard_snapshots_fork();
  is_off = 1; // the hook stays, because its removal needs the store's lock, which another thread
              // may have held at the fork
}

__attribute__((constructor)) static void hook_in(void) {
  if (!getenv("MPIPP_GUARD") || !getenv("MPIPP_WATCH")) return;
  mpipp_guard_faults_prepare();
  mpipp_guard_fork_add_handler(after_fork_in_child);
  mpipp_hook_in(&hook);
  mpipp_intercept_before_end = report_pending;
  mpipp_guards_buffers = 1;
}
