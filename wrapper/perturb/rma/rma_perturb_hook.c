// SPDX-License-Identifier: MIT
// Legal but adversarial schedules of one-sided communication (mpipp run --provoke=rma), after
// Kowalewski, Fuerlinger: Nasty-MPI: Debugging Synchronization Errors in MPI-3 One-Sided
// Applications. Operations wait for the call that must complete them. Then they are split into
// elements or bytes, and passed to MPI in another order. The results of a correct program never
// change.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "abi/mpi_symbols.h"
#include "generated/facts.h"
#include "intercept/hooks.h"
#include "perturb/random.h"
#include "perturb/rma/deferred_operation.h"
#include "perturb/rma/event_log.h"
#include "perturb/rma/operation_ids.h"
#include "perturb/rma/options.h"
#include "perturb/rma/schedule.h"
#include "registry/object_store.h"

enum {
  NEXT_TO_MPI = 2000, // the order of the hook; the guard's is 1000
  ANY_TARGET = -1,
  MOST = 100000, // largest number of operations that wait at a time
  LATE_IN = 16,  // if the seed chooses, one operation in 16 is late
  FIRST = 64,    // only the first 64 operations of each place may be late, so that a long run
                 // takes little longer
  LATENCY = 5,   // largest delay of a late operation, in milliseconds
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t handed_over = PTHREAD_COND_INITIALIZER;
static struct mpipp_deferred_operation *deferred, **last = &deferred, *newest;
static int count;
static uint32_t numbers;
static int requests; // number of requests of deferred operations

static int is_among(const struct mpipp_deferred_operation *one, uint64_t win, int target) {
  return one->win == win && (target == ANY_TARGET || one->target == target);
}

// A thread that passes operations to MPI. The thread does not hold the lock, because MPI may wait
// for another process, and that process for another thread of this one. A thread that has to
// complete the same operations waits until this is done.
struct mpipp_handing {
  struct mpipp_handing *next;
  uint64_t win;
  int target; // ANY_TARGET: several targets
};
static struct mpipp_handing *handing;

static void wait_for_handover(uint64_t win, int target) {
  struct mpipp_handing *one = handing;
  while (one) {
    int meets = target == ANY_TARGET || one->target == ANY_TARGET || one->target == target;
    if (one->win == win && meets) {
      pthread_cond_wait(&handed_over, &lock);
      one = handing;
    } else {
      one = one->next;
    }
  }
}

static void hand_over(struct mpipp_deferred_operation *list, const struct mpipp_call *call,
                      int passive) {
  struct mpipp_handing own = {handing, list->win, list->target}, **at = &handing;
  for (const struct mpipp_deferred_operation *one = list; one; one = one->next)
    if (one->target != own.target) own.target = ANY_TARGET;
  handing = &own;
  pthread_mutex_unlock(&lock);
  mpipp_perturb_hand_over(list, call, passive);
  pthread_mutex_lock(&lock);
  while (*at != &own) at = &(*at)->next;
  *at = own.next;
  pthread_cond_broadcast(&handed_over);
}

// Chooses the accumulates before `chosen` with the same target, because MPI must get them first.
static void choose_earlier(struct mpipp_deferred_operation *chosen) {
  for (struct mpipp_deferred_operation *one = deferred; one && one != chosen; one = one->next)
    if (one->accumulates && is_among(one, chosen->win, chosen->target)) one->is_chosen = 1;
}

static void choose(struct mpipp_deferred_operation *one) {
  one->is_chosen = 1;
  if (one->accumulates) choose_earlier(one);
}

static void hand_over_chosen(const struct mpipp_call *call, int passive) {
  struct mpipp_deferred_operation *list = NULL, **end = &list, **at = &deferred;
  while (*at) {
    struct mpipp_deferred_operation *one = *at;
    if (!one->is_chosen) {
      at = &one->next;
      continue;
    }
    *at = one->next;
    one->next = NULL;
    *end = one;
    end = &one->next;
    if (--count == 0) numbers = 0;
    MPIPP_WRITE(requests, requests - one->is_request);
  }
  last = at;
  newest = NULL;
  if (list) hand_over(list, call, passive);
}

static int is_passive(uint64_t handle) {
  const struct mpipp_win *win = mpipp_find_live(MPIPP_WIN, handle);
  return win && MPIPP_READ(win->epochs) & (MPIPP_EPOCH_LOCK | MPIPP_EPOCH_LOCK_ALL);
}

static void append(struct mpipp_deferred_operation *one) {
  *last = one;
  last = &one->next;
  newest = one;
  count++;
  one->number = ++numbers;
  MPIPP_WRITE(requests, requests + one->is_request);
}

// Chooses the deferred operations that an accumulate must not overtake.
static void choose_overtaken(const struct mpipp_call *call) {
  int target = (int)call->target_rank;
  if (!mpipp_perturb_accumulates(mpipp_facts[call->procedure].operation)) return;
  wait_for_handover(call->win, target);
  for (struct mpipp_deferred_operation *one = deferred; one; one = one->next)
    if (one->accumulates && is_among(one, call->win, target)) one->is_chosen = 1;
}

// The delay of an operation in milliseconds, at most.
static uint64_t latency_of(const struct mpipp_deferred_operation *one) {
  uint32_t time = one->identity.time;
  if (mpipp_perturb_rules.latency != MPIPP_BY_SEED) return (uint64_t)mpipp_perturb_rules.latency;
  return time && time <= FIRST && mpipp_perturb_chance_of(one->chance - 1) % LATE_IN == 0 ? LATENCY
                                                                                          : 0;
}

static struct mpipp_deferred_operation *begin(const struct mpipp_passage *passage,
                                              struct mpipp_identity identity) {
  struct mpipp_deferred_operation *one =
      mpipp_perturb_deferred_new(passage, mpipp_perturb_choose(mpipp_perturb_rules.split, 8));
  if (!one) return NULL;
  one->identity = identity;
  one->chance = mpipp_perturb_chance(UINT64_MAX);
  one->latency = latency_of(one);
  append(one);
  mpipp_perturb_journal_begins(identity, passage->call);
  return one;
}

// Passes the operation to MPI in its own call.
static int pass_now(const struct mpipp_passage *passage, struct mpipp_identity identity,
                    int as_is) {
  const struct mpipp_call *call = passage->call;
  int goes_on = as_is || call->present & MPIPP_HAS_REQUESTS;
  choose_overtaken(call);
  mpipp_perturb_note_call(MPIPP_WAY_AT_ONCE);
  struct mpipp_deferred_operation *own = goes_on ? NULL : begin(passage, identity);
  if (own) own->is_chosen = own->is_at_once = 1;
  hand_over_chosen(call, is_passive(call->win));
  return own ? MPIPP_DONE : MPIPP_GO_ON;
}

static int defer_operation(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  struct mpipp_deferred_operation *one = NULL;
  int verdict = MPIPP_DONE;
  mpipp_perturb_note_place(call);
  pthread_mutex_lock(&lock);
  struct mpipp_identity identity = mpipp_perturb_identify(passage);
  mpipp_perturb_chance_begin_at(identity.place, identity.time);
  int is_meant = mpipp_perturb_is_selected(identity);
  int is_repeated = is_meant && newest && mpipp_perturb_is_repeated(newest, passage);
  if (is_meant && !is_repeated && count < MOST &&
      mpipp_perturb_choose(mpipp_perturb_rules.defer, 15))
    one = begin(passage, identity);
  if (one) {
    mpipp_perturb_note_call(MPIPP_WAY_CALLED);
    if (one->is_request) *(MPI_Request *)(uintptr_t)call->requests = one->request;
  } else if (is_repeated) {
    mpipp_perturb_note_call(MPIPP_WAY_REPEATED);
  } else {
    verdict = pass_now(passage, identity, !is_meant);
  }
  pthread_mutex_unlock(&lock);
  passage->code = MPI_SUCCESS;
  return verdict;
}

// Completes an operation locally. An operation that returns data to the program is passed to MPI.
// Any other operation's local data is copied, so that it can still be deferred.
static void complete_locally(struct mpipp_deferred_operation *one) {
  int is_new = !one->origin.copy;
  if (one->fetches || !mpipp_perturb_deferred_copy(one)) {
    choose(one);
    return;
  }
  if (is_new && one->origin.copy)
    mpipp_perturb_note(&one->at, MPIPP_WAY_COPIED, mpipp_perturb_call_site(), 0);
  if (one->is_request) {
    MPIPP_WRITE(requests, requests - 1);
    mpipp_perturb_deferred_release(one);
  }
}

// Random choices for a call depend on the seed, and on the ordinal of the call at its place.
static void begin_call(const struct mpipp_call *call) {
  struct mpipp_identity identity = mpipp_perturb_identify_call(call);
  mpipp_perturb_note_place(call);
  mpipp_perturb_chance_begin_at(identity.place, identity.time);
}

static void synchronize(const struct mpipp_call *call, int target, int passive, int locally) {
  pthread_mutex_lock(&lock);
  begin_call(call);
  locally = locally && mpipp_perturb_choose(mpipp_perturb_rules.local, 15);
  mpipp_perturb_identities_separate();
  wait_for_handover(call->win, target);
  for (struct mpipp_deferred_operation *one = deferred; one; one = one->next) {
    if (!is_among(one, call->win, target)) continue;
    if (locally)
      complete_locally(one);
    else
      one->is_chosen = 1;
  }
  hand_over_chosen(call, passive);
  pthread_mutex_unlock(&lock);
}

static struct mpipp_deferred_operation *operation_of(MPI_Request request) {
  struct mpipp_deferred_operation *one = deferred;
  while (one && !(one->is_request && one->request == request)) one = one->next;
  return one;
}

static void complete_requests(const struct mpipp_call *call) {
  const MPI_Request *asked = (const MPI_Request *)(uintptr_t)call->requests;
  pthread_mutex_lock(&lock);
  begin_call(call);
  for (int64_t i = 0; asked && requests && i < call->request_count; i++) {
    struct mpipp_deferred_operation *one = operation_of(asked[i]);
    if (one) wait_for_handover(one->win, one->target);
    if (!(one = operation_of(asked[i]))) continue; // another thread has completed it
    if (mpipp_perturb_choose(mpipp_perturb_rules.local, 15))
      complete_locally(one);
    else
      choose(one);
    uint64_t win = one->win;
    if (one->is_chosen) hand_over_chosen(call, is_passive(win));
  }
  pthread_mutex_unlock(&lock);
}

static int enter(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  int target = (int)call->target_rank;
  if (mpipp_perturb_can_be_deferred(call)) return defer_operation(passage);
  if (call->present & MPIPP_HAS_REQUESTS && !call->buffer_count) complete_requests(call);
  // MPICH's MPI_PROC_NULL has the same value as ANY_TARGET.
  if (call->present & MPIPP_HAS_TARGET_RANK && target == MPI_PROC_NULL) return MPIPP_GO_ON;
  switch (call->procedure) {
  case MPIPP_PROC_Win_fence:
  case MPIPP_PROC_Win_complete:
  case MPIPP_PROC_Win_free:
    synchronize(call, ANY_TARGET, 0, 0);
    break;
  case MPIPP_PROC_Win_unlock:
  case MPIPP_PROC_Win_flush:
    synchronize(call, target, 1, 0);
    break;
  case MPIPP_PROC_Win_unlock_all:
  case MPIPP_PROC_Win_flush_all:
    synchronize(call, ANY_TARGET, 1, 0);
    break;
  case MPIPP_PROC_Win_flush_local:
    synchronize(call, target, 1, 1);
    break;
  case MPIPP_PROC_Win_flush_local_all:
    synchronize(call, ANY_TARGET, 1, 1);
    break;
  default:
    break;
  }
  return MPIPP_GO_ON;
}

static struct mpipp_hook hook = {.enter = enter, .order = NEXT_TO_MPI};

__attribute__((constructor)) static void hook_in(void) {
  const char *text = getenv("MPIPP_PROVOKE_RMA");
  if (!text || !*text) return;
  mpipp_perturb_chance_open(text);
  mpipp_perturb_rules_open(text);
  mpipp_perturb_identities_open(text);
  mpipp_perturb_journal_open();
  mpipp_hook_in(&hook);
}
