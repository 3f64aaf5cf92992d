// SPDX-License-Identifier: MIT
// A hook that guards the buffers of pending operations: MPI is given another view of them, so that
// what the program may not do there can be forbidden.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "generated/procedures.h"
#include "guard/faults.h"
#include "guard/pages.h"
#include "guard/pending.h"
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

// The operations that are guarded, by their procedure.
static int is_guarded(const struct mpipp_call *call) {
  switch (call->procedure) {
  case MPIPP_PROC_Isend:
  case MPIPP_PROC_Isend_c:
  case MPIPP_PROC_Issend:
  case MPIPP_PROC_Issend_c:
  case MPIPP_PROC_Irsend:
  case MPIPP_PROC_Irsend_c:
    return call->dest != MPI_PROC_NULL;
  case MPIPP_PROC_Irecv:
  case MPIPP_PROC_Irecv_c:
    return call->source != MPI_PROC_NULL;
  default:
    return 0;
  }
}

static int open_guard(void) {
  static int opened = 0; // 1: it is there, -1: it cannot be
  if (!opened) opened = mpipp_faults_are_known() && mpipp_pages_open() ? 1 : -1;
  mpipp_registry.guard = opened > 0 ? MPIPP_GUARD_THERE : MPIPP_GUARD_FAILED;
  return opened > 0;
}

static void post(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  const struct mpipp_buffer *buffer = &call->buffers[0];
  struct mpipp_comb comb;
  pthread_mutex_lock(&lock);
  if (open_guard() && mpipp_comb_of(buffer, &comb))
    posted = mpipp_guarded_new(&comb, (buffer->access & MPIPP_WRITES) != 0);
  if (posted) {
    mpipp_faults_catch();
    passage->addresses[0] = mpipp_window_address(posted->window, buffer->address);
    mpipp_registry.guarded++;
  } else {
    mpipp_registry.unguarded++;
  }
  pthread_mutex_unlock(&lock);
}

// MPI goes on with an operation whose request the program has freed, and has the window; what it
// receives beside whole pages is to reach the program all the same. So the request is kept, and
// asked after.
static int give_up(struct mpipp_passage *passage) {
  MPI_Request *request = (MPI_Request *)(uintptr_t)passage->call->requests;
  pthread_mutex_lock(&lock);
  struct mpipp_guarded *guarded = request ? mpipp_guarded_with(MPIPP_KEY(*request)) : NULL;
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
    if (!flag && over) PMPI(Request_free)(&request);
    if (!flag && !over) continue;
    pthread_mutex_lock(&lock);
    mpipp_guarded_end(kept);
    pthread_mutex_unlock(&lock);
  }
  pthread_mutex_unlock(&asking_after);
}

// What was done since the last call: no operation has ended meanwhile.
static void tell(void) {
  struct mpipp_touch touch;
  int found = 1;
  while (found && mpipp_faults_any()) {
    pthread_mutex_lock(&lock);
    found = mpipp_faults_next(&touch);
    pthread_mutex_unlock(&lock);
    if (found) mpipp_tell_touch(&touch);
  }
}

static int enter(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  posted = NULL;
  if (MPIPP_READ(is_off)) return MPIPP_GO_ON;
  if (MPIPP_UNLIKELY(mpipp_faults_any())) tell();
  ask_after_kept(call->procedure == MPIPP_PROC_Finalize);
  if (call->procedure == MPIPP_PROC_Request_free) return give_up(passage);
  if (is_guarded(call)) post(passage);
  return MPIPP_GO_ON;
}

// What the program has not completed is over all the same.
static void end_all(void) {
  struct mpipp_guarded *guarded;
  pthread_mutex_lock(&lock);
  while ((guarded = mpipp_guarded_any())) mpipp_guarded_end(guarded);
  pthread_mutex_unlock(&lock);
}

static void leave(struct mpipp_passage *passage) {
  struct mpipp_guarded *guarded = posted;
  posted = NULL;
  if (passage->call->procedure == MPIPP_PROC_Finalize && !MPIPP_READ(is_off)) end_all();
  if (!guarded) return;
  pthread_mutex_lock(&lock);
  if (passage->code != MPI_SUCCESS)
    mpipp_guarded_drop(guarded);
  else if (guarded->serial)
    mpipp_guarded_begin(guarded);
  else // there is no request
    mpipp_guarded_end(guarded);
  pthread_mutex_unlock(&lock);
}

static void event(const struct mpipp_event *event) {
  const struct mpipp_object *request = event->object;
  if (event->kind == MPIPP_EVENT_MADE && request->kind == MPIPP_REQUEST && posted) {
    posted->request = request->handle;
    posted->serial = request->serial;
    return;
  }
  if (MPIPP_READ(is_off)) return;
  int freed = event->kind == MPIPP_EVENT_FREED && request->kind == MPIPP_REQUEST;
  if (event->kind != MPIPP_EVENT_COMPLETED && !freed) return;
  pthread_mutex_lock(&lock);
  struct mpipp_guarded *guarded = mpipp_guarded_of(request->serial);
  // One that is freed, and not kept: another is, with the same handle, since both are complete.
  if (guarded) mpipp_guarded_end(guarded);
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
  is_off = 1; // the hook stays: the store's lock may be held here, to take it out
  pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void hook_in(void) {
  if (!getenv("MPIPP_GUARD") || !getenv("MPIPP_WATCH")) return;
  pthread_atfork(before_fork, after_fork, after_fork_in_child);
  mpipp_hook_in(&hook);
}
