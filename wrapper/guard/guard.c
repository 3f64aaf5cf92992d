// SPDX-License-Identifier: MIT
// A hook that guards the buffers of pending operations: MPI is given another view of them, so that
// what the program may not do there can be forbidden.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "generated/facts.h"
#include "guard/faults.h"
#include "guard/given.h"
#include "guard/pages.h"
#include "guard/pending.h"
#include "guard/shares.h"
#include "guard/telling.h"
#include "intercept/seam.h"
#include "mpi/resolve.h"
#include "mpi/vendor.h"
#include "records/registry.h"
#include "records/store.h"

enum { ORDER = 1000 }; // next to MPI: others see the program's own buffers

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t asking_after = PTHREAD_MUTEX_INITIALIZER; // operations that were given up
static int is_off = 0;
static _Thread_local struct mpipp_guarded *posted; // by the call that the thread is in

// Whether a call makes a request of an operation that has buffers.
static int is_guarded(const struct mpipp_call *call) {
  switch (mpipp_facts[call->procedure].form) {
  case MPIPP_FORM_NONBLOCKING:
  case MPIPP_FORM_PERSISTENT:
    return call->present & MPIPP_HAS_REQUESTS && call->buffer_count;
  default:
    return 0;
  }
}

static int open_guard(void) {
  static int opened = 0; // 1: it is there, -1: it cannot be
  if (!opened) opened = mpipp_faults_open() && mpipp_pages_open() ? 1 : -1;
  mpipp_registry.guard = opened > 0 ? MPIPP_GUARD_THERE : MPIPP_GUARD_FAILED;
  return opened > 0;
}

// Gives MPI a window for each buffer that has pages for itself.
static struct mpipp_guarded *windows_for(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  struct mpipp_guarded *guarded = open_guard() ? mpipp_guarded_new() : NULL;
  for (uint32_t i = 0; guarded && i < call->buffer_count; i++) {
    const struct mpipp_buffer *buffer = &call->buffers[i];
    struct mpipp_comb comb;
    if (!mpipp_is_used(call, i) || !mpipp_comb_of_call(call, i, &comb)) continue;
    const struct mpipp_part *part =
        mpipp_guarded_add(guarded, &comb, (buffer->access & MPIPP_WRITES) != 0);
    if (part) passage->addresses[i] = mpipp_window_address(part->window, buffer->address);
  }
  if (!guarded || guarded->part_count) return guarded;
  mpipp_guarded_drop(guarded);
  return NULL;
}

static void post(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  uint32_t used = 0;
  for (uint32_t i = 0; i < call->buffer_count; i++) used += (uint32_t)mpipp_is_used(call, i);
  if (!used) return;
  pthread_mutex_lock(&lock);
  posted = windows_for(passage);
  if (posted) {
    posted->persistent = mpipp_facts[call->procedure].form == MPIPP_FORM_PERSISTENT;
    mpipp_faults_catch();
    mpipp_registry.guarded++;
  } else {
    mpipp_registry.unguarded++;
  }
  pthread_mutex_unlock(&lock);
}

// Persistent operations that are about to start: what MPI reads of copies is to be as it is now.
static void start(const struct mpipp_call *call) {
  const MPI_Request *requests = (const MPI_Request *)(uintptr_t)call->requests;
  pthread_mutex_lock(&lock);
  for (int64_t i = 0; requests && i < call->request_count; i++) {
    struct mpipp_guarded *guarded = mpipp_guarded_of(MPIPP_KEY(requests[i]), 0);
    if (guarded && guarded->state == MPIPP_GUARDED_INACTIVE) mpipp_guarded_fill(guarded);
  }
  mpipp_faults_catch();
  pthread_mutex_unlock(&lock);
}

// MPI goes on with an operation whose request the program has freed, and has the window; what it
// receives beside whole pages is to reach the program all the same. So the request is kept, and
// asked after.
static int give_up(struct mpipp_passage *passage) {
  MPI_Request *request = (MPI_Request *)(uintptr_t)passage->call->requests;
  pthread_mutex_lock(&lock);
  struct mpipp_guarded *guarded = request ? mpipp_guarded_of(MPIPP_KEY(*request), 0) : NULL;
  if (guarded && guarded->state == MPIPP_GUARDED_INACTIVE) guarded = NULL; // MPI does nothing there
  if (guarded) mpipp_guarded_keep(guarded);
  pthread_mutex_unlock(&lock);
  if (!guarded) return MPIPP_GO_ON;
  *request = MPI_REQUEST_NULL;
  passage->code = MPI_SUCCESS;
  return MPIPP_DONE;
}

static void ask_after_kept(int over) {
  if (!mpipp_guarded_kept || pthread_mutex_trylock(&asking_after)) return;
  struct mpipp_guarded *kept = NULL;
  while ((kept = mpipp_guarded_next_kept(kept))) {
    MPI_Request request = (MPI_Request)(uintptr_t)kept->request;
    int flag = 0;
    PMPI(Test)(&request, &flag, MPI_STATUS_IGNORE);
    if ((flag && kept->persistent) || (!flag && over)) PMPI(Request_free)(&request);
    if (!flag && !over) continue;
    pthread_mutex_lock(&lock);
    mpipp_guarded_end(kept);
    pthread_mutex_unlock(&lock);
  }
  pthread_mutex_unlock(&asking_after);
}

static int enter(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  posted = NULL;
  if (MPIPP_READ(is_off)) return MPIPP_GO_ON;
  if (MPIPP_UNLIKELY(MPIPP_READ(mpipp_faults_count))) mpipp_tell_touches(call);
  ask_after_kept(call->procedure == MPIPP_PROC_Finalize);
  if (call->procedure == MPIPP_PROC_Request_free) return give_up(passage);
  if (call->procedure == MPIPP_PROC_Start || call->procedure == MPIPP_PROC_Startall) start(call);
  if (is_guarded(call)) post(passage);
  return MPIPP_GO_ON;
}

// What the program has not completed is over all the same.
static void end_all(void) {
  struct mpipp_guarded *guarded;
  pthread_mutex_lock(&lock);
  while ((guarded = mpipp_guarded_any())) {
    mpipp_guarded_end(guarded);
    if (guarded->state == MPIPP_GUARDED_INACTIVE) mpipp_guarded_drop(guarded);
  }
  pthread_mutex_unlock(&lock);
}

// A persistent operation may be complete although the call that waited for several has failed: the
// handle does not tell.
static void end_failed(const struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  const MPI_Request *requests = (const MPI_Request *)(uintptr_t)call->requests;
  const MPI_Status *statuses = passage->status;
  int all = call->procedure == MPIPP_PROC_Waitall || call->procedure == MPIPP_PROC_Testall;
  int in_status = all && statuses && passage->code == MPI_ERR_IN_STATUS;
  pthread_mutex_lock(&lock);
  for (int64_t i = 0; requests && i < call->request_count; i++) {
    struct mpipp_guarded *guarded = mpipp_guarded_of(MPIPP_KEY(requests[i]), 0);
    if (!guarded || !guarded->persistent) continue;
    if (!in_status || statuses[i].MPI_ERROR != MPI_ERR_PENDING) mpipp_guarded_end(guarded);
  }
  pthread_mutex_unlock(&lock);
}

static void leave(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  struct mpipp_guarded *guarded = posted;
  posted = NULL;
  if (MPIPP_READ(is_off)) return;
  if (call->procedure == MPIPP_PROC_Finalize) end_all();
  if (passage->code != MPI_SUCCESS && call->present & MPIPP_HAS_REQUESTS && !guarded)
    end_failed(passage);
  if (!guarded) return;
  pthread_mutex_lock(&lock);
  if (passage->code != MPI_SUCCESS)
    mpipp_guarded_drop(guarded);
  else if (!guarded->serial) // there is no request
    mpipp_guarded_end(guarded);
  else if (guarded->persistent)
    mpipp_guarded_rest(guarded);
  else
    mpipp_guarded_begin(guarded);
  pthread_mutex_unlock(&lock);
}

static void event(const struct mpipp_event *event) {
  const struct mpipp_object *request = event->object;
  if (MPIPP_READ(is_off) || request->kind != MPIPP_REQUEST) return;
  pthread_mutex_lock(&lock);
  struct mpipp_guarded *guarded = mpipp_guarded_of(request->handle, request->serial);
  if (event->kind == MPIPP_EVENT_MADE) {
    if (posted) mpipp_guarded_name(posted, request->handle, request->serial);
  } else if (guarded && event->kind == MPIPP_EVENT_STARTED) {
    mpipp_guarded_begin(guarded);
  } else if (guarded && event->kind == MPIPP_EVENT_COMPLETED) {
    mpipp_guarded_end(guarded);
  } else if (guarded && event->kind == MPIPP_EVENT_FREED) {
    // One that is not kept: another is, with the same handle, since both are complete.
    mpipp_guarded_end(guarded);
    if (guarded->state == MPIPP_GUARDED_INACTIVE) mpipp_guarded_drop(guarded);
  }
  pthread_mutex_unlock(&lock);
}

static struct mpipp_hook hook = {.enter = enter, .leave = leave, .event = event, .order = ORDER};

static void before_fork(void) {
  pthread_mutex_lock(&lock);
  mpipp_pages_before_fork();
}

static void after_fork(void) {
  mpipp_pages_after_fork();
  pthread_mutex_unlock(&lock);
}

// The child is not watched.
static void after_fork_in_child(void) {
  mpipp_pages_forked();
  mpipp_guards_buffers = 0;
  is_off = 1; // the hook stays: the store's lock may be held here, to take it out
  pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void hook_in(void) {
  if (!getenv("MPIPP_GUARD") || !getenv("MPIPP_WATCH")) return;
  pthread_atfork(before_fork, after_fork, after_fork_in_child);
  mpipp_hook_in(&hook);
  mpipp_guards_buffers = 1;
}
