// SPDX-License-Identifier: MIT
// The call filter as a hook. It runs first, because changes that other hooks make to a call are not
// the program's.
#include "intercept/filter_hook.h"

#include <errno.h>
#include <stddef.h>

#include "abi/compilers.h"
#include "abi/mpi_symbols.h"
#include "abi/vendor.h"
#include "call_filter/buffer_owners.h"
#include "call_filter/caches/query_cache.h"
#include "call_filter/filter.h"
#include "call_filter/other_arguments.h"
#include "call_filter/result_arguments.h"
#include "call_filter/unrecorded_calls.h"
#include "intercept/hook_chain.h"
#include "intercept/hooks.h"
#include "intercept/rejected_calls.h"
#include "recorder/threads/threads.h"
#include "watcher_client/connection.h"
#include "watcher_client/error_policy.h"

// The thread's current call, if the filter has to see its return; the boxes of any other call are
// out of date.
static __thread int is_seen_returning __attribute__((tls_model("initial-exec")));

static int is_clear(struct mpipp_thread *thread) {
  return mpipp_filter_windows ? mpipp_filter_is_in_window(&thread->call) : mpipp_is_clear(thread);
}

static int enter(struct mpipp_passage *passage) {
  uint64_t before = mpipp_filter_uncleared_calls;
  int refused = 0;
  is_seen_returning =
      !is_clear(mpipp_recorder_self) && mpipp_filter_check(mpipp_recorder_self, &refused);
  passage->refused = refused;
  if (MPIPP_UNLIKELY(mpipp_filter_checks_itself) && before == mpipp_filter_uncleared_calls)
    mpipp_filter_ask_all(mpipp_recorder_self);
  return MPIPP_GO_ON;
}

static void leave(struct mpipp_passage *passage) {
  if (is_seen_returning && passage->code == MPI_SUCCESS)
    mpipp_filter_note_return(mpipp_recorder_self);
}

static int wants(const struct mpipp_call *call);

static struct mpipp_hook filter_hook = {
    .enter = enter, .leave = leave, .wants = wants, .order = MPIPP_FILTER_ORDER};

// Returns 0 in most runs, because a passage would cost too much: mpipp_intercept_is_hooked then
// calls the filter directly.
static int wants(const struct mpipp_call *call) {
  (void)call;
  return filter_hook.order != MPIPP_FILTER_ORDER;
}

static int (*others_before_marked)(unsigned procedure);

static int before_unrecorded_call(unsigned procedure) {
  int refused = mpipp_filter_check_unrecorded_call(procedure);
  if (MPIPP_UNLIKELY(refused) &&
      mpipp_intercept_refuse_unrecorded(mpipp_filter_unrecorded_kind(procedure),
                                        mpipp_recorder_self->handle, refused))
    return refused;
  return others_before_marked ? others_before_marked(procedure) : MPI_SUCCESS;
}

void mpipp_intercept_filter_open(void) {
  if (!mpipp_watcher_is_connected() || !mpipp_filter_asking_open()) return;
  mpipp_filter_constants_open();
  mpipp_filter_owners_open();
  mpipp_filter_commits_open();
  if (!mpipp_filter_windows) {
    mpipp_filter_results_open();
    others_before_marked = mpipp_intercept_before_unrecorded;
    mpipp_intercept_before_unrecorded = before_unrecorded_call;
  }
  // With another order value, `wants` is true and each call passes `enter`.
  filter_hook.order += mpipp_filter_checks_itself || mpipp_watcher_on_error != MPIPP_REPORT;
  mpipp_hook_in(&filter_hook);
}

// In place of a passage, for a call whose return only the filter has to see.
static struct mpipp_passage only = {.status = NULL};

// Asks every hook, even after one has wanted the call, because a hook's `wants` may also update its
// state.
static int is_wanted(const struct mpipp_call *call) {
  int wanted = 0, saved = errno;
  for (const struct mpipp_hook *hook = mpipp_intercept_hooks; hook; hook = hook->next)
    wanted |= !hook->wants || hook->wants(call);
  errno = saved;
  return wanted;
}

static __attribute__((noinline)) int is_hooked_slow(struct mpipp_thread *thread) {
  if (!mpipp_intercept_only_filter) {
    if (is_wanted(&thread->call)) return 1;
    if (mpipp_intercept_hooks != &filter_hook || mpipp_is_clear(thread)) return 0;
  }
  int refused = 0; // calls are refused only through `enter`
  if (mpipp_filter_check(thread, &refused)) thread->passage = (uint64_t)(uintptr_t)&only;
  return 0;
}

MPIPP_INLINE int is_hooked(struct mpipp_thread *thread, uint64_t place) {
  if (MPIPP_UNLIKELY(!mpipp_is_known_use(&thread->call, place)))
    mpipp_filter_look_up_use(thread, place);
  if (MPIPP_LIKELY(mpipp_intercept_only_filter) && MPIPP_LIKELY(mpipp_is_clear(thread))) return 0;
  return is_hooked_slow(thread);
}

// MPI's Fortran layer has called, so the program's own place is further out on the stack. That
// place is found now, because a watcher cannot search for it after the process has died.
static MPIPP_COLD int is_layer_call_hooked(struct mpipp_thread *thread) {
  thread->place = mpipp_abi_outside_mpi_at(thread->call.caller, thread->call.frame);
  thread->place_serial = thread->call.serial;
  return is_hooked(thread, thread->place);
}

int mpipp_intercept_is_hooked(struct mpipp_thread *thread) {
  if (MPIPP_UNLIKELY(!mpipp_is_outside_mpi(thread->call.caller)))
    return is_layer_call_hooked(thread);
  return is_hooked(thread, thread->call.caller);
}

int mpipp_intercept_note_return(struct mpipp_thread *thread, int code) {
  if (MPIPP_UNLIKELY(thread->passage != (uint64_t)(uintptr_t)&only))
    return mpipp_intercept_leave_hooks(thread, code);
  thread->passage = 0;
  if (MPIPP_LIKELY(code == MPI_SUCCESS)) mpipp_filter_note_return(thread);
  return code;
}
