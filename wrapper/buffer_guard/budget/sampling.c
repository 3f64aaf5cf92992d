// SPDX-License-Identifier: MIT
#include "buffer_guard/budget/sampling.h"

#include <stddef.h>

#include "buffer_guard/budget/skipped_operations.h"
#include "buffer_guard/compare/memcheck.h"
#include "buffer_guard/faults/faults.h"
#include "buffer_guard/memory/pages.h"
#include "buffer_guard/operations/owned_bytes.h"
#include "buffer_guard/operations/pending.h"
#include "buffer_guard/operations/rma_requests.h"
#include "buffer_guard/platform/lock.h"
#include "generated/facts.h"
#include "registry/registry.h"

// The decision on the thread's current call: whether it was made, and the place if the call is
// guarded.
static __thread int is_asked __attribute__((tls_model("initial-exec")));
static __thread struct mpipp_cover *chosen __attribute__((tls_model("initial-exec")));
// The number of calls that were chosen, and are not guarded yet. Changed only with the guard's
// lock.
static uint32_t chosen_count;

static int open_parts(void) {
  return mpipp_guard_faults_open() && mpipp_guard_pages_open() && mpipp_guard_coverage_open();
}

static int open_guard(void) {
  static int opened = 0; // 1: the guard is open, -1: it cannot be opened
  if (!opened) opened = mpipp_guard_memcheck_open() && open_parts() ? 1 : -1;
  mpipp_registry.guard = opened < 0             ? MPIPP_GUARD_FAILED
                         : mpipp_guard_memcheck ? MPIPP_GUARD_MEMCHECK
                                                : MPIPP_GUARD_THERE;
  return opened > 0;
}

int mpipp_guard_turn_is_possible(const struct mpipp_call *call) {
  switch (mpipp_facts[call->procedure].form) {
  case MPIPP_FORM_NONBLOCKING:
  case MPIPP_FORM_PERSISTENT:
  case MPIPP_FORM_PARTITIONED:
    return call->present & MPIPP_HAS_REQUESTS && call->buffer_count;
  default:
    return mpipp_guard_is_access(call);
  }
}

int mpipp_guard_turn_is_persistent(const struct mpipp_call *call) {
  unsigned form = mpipp_facts[call->procedure].form;
  return form == MPIPP_FORM_PERSISTENT || form == MPIPP_FORM_PARTITIONED;
}

static int uses_any(const struct mpipp_call *call) {
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    if (mpipp_guard_uses_buffer(call, i)) return 1;
  }
  return 0;
}

static struct mpipp_cover *choose(const struct mpipp_call *call) {
  struct mpipp_cover *cover = uses_any(call) && open_guard() ? mpipp_guard_cover_of(call) : NULL;
  // Turns are taken at each start of the request.
  int persistent = mpipp_guard_turn_is_persistent(call);
  if (!cover ||
      (persistent ? mpipp_guard_coverage_offers(cover) : mpipp_guard_coverage_affords(cover)))
    return cover;
  mpipp_guard_skip(cover, persistent, 1);
  return NULL;
}

// Discards the decision on the previous call if it was not used because another hook has taken that
// call over.
static void forget(void) {
  chosen_count -= (uint32_t)(chosen != NULL);
  chosen = NULL;
  is_asked = 0;
}

int mpipp_guard_turn_comes(struct mpipp_hook *hook, const struct mpipp_call *call) {
  int possible = mpipp_guard_turn_is_possible(call), heard = !MPIPP_READ(hook->deaf);
  mpipp_guard_skip_forget();
  if (!possible && !chosen && (!heard || MPIPP_READ(mpipp_guard_count))) {
    is_asked = 0;
    return heard;
  }
  mpipp_guard_lock();
  forget();
  is_asked = possible;
  if (possible) chosen = choose(call);
  chosen_count += (uint32_t)(chosen != NULL);
  int any = chosen_count || mpipp_guard_count;
  // Another thread may have changed the flag before this thread got the lock.
  if (any == MPIPP_READ(hook->deaf)) mpipp_intercept_hook_listen(hook, any);
  mpipp_guard_unlock();
  return any || mpipp_guard_skips();
}

struct mpipp_cover *mpipp_guard_turn_take(const struct mpipp_call *call) {
  struct mpipp_cover *cover = is_asked ? chosen : choose(call);
  forget();
  return cover;
}
