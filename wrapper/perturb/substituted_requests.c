// SPDX-License-Identifier: MIT
#include "perturb/substituted_requests.h"

#include <pthread.h>
#include <stdlib.h>

#include "abi/mpi_symbols.h"
#include "registry/object_store.h"
#include "registry/registry.h"

enum { BUCKETS = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mpipp_substitute *buckets[BUCKETS], *late, **last_late = &late, *abandoned;
int mpipp_perturb_substitute_count MPIPP_HIDDEN = 0;

static struct mpipp_substitute **bucket(MPI_Request request) {
  return &buckets[mpipp_hash(MPIPP_KEY(request)) % BUCKETS];
}

// Adds the operation behind older ones with that handle. MPI may reuse a handle before the thread
// that completed the old operation has removed it here.
void mpipp_perturb_hold(struct mpipp_substitute *held, MPI_Request request) {
  held->request = request;
  held->next = NULL;
  pthread_mutex_lock(&lock);
  struct mpipp_substitute **at = bucket(request);
  while (*at) at = &(*at)->next;
  *at = held;
  mpipp_perturb_substitute_count++;
  pthread_mutex_unlock(&lock);
}

static struct mpipp_substitute **find(MPI_Request request) {
  struct mpipp_substitute **at = bucket(request);
  while (*at && (*at)->request != request) at = &(*at)->next;
  return at;
}

struct mpipp_substitute *mpipp_perturb_substitute_take(MPI_Request request) {
  if (!MPIPP_READ(mpipp_perturb_substitute_count)) return NULL;
  pthread_mutex_lock(&lock);
  struct mpipp_substitute **at = find(request), *found = *at;
  if (found) *at = found->next, mpipp_perturb_substitute_count--;
  pthread_mutex_unlock(&lock);
  return found;
}

static struct mpipp_substitute *persistent_substitute(MPI_Request request, int is_receiving) {
  struct mpipp_substitute *held = *find(request);
  return held && held->is_persistent && held->is_receiving == is_receiving ? held : NULL;
}

// Returns whether it was a persistent receive, so that nothing else has to be done.
static int end_receive(MPI_Request request) {
  if (!MPIPP_READ(mpipp_perturb_substitute_count)) return 0;
  pthread_mutex_lock(&lock);
  struct mpipp_substitute *held = persistent_substitute(request, 1);
  if (held) held->is_receiving = 0;
  pthread_mutex_unlock(&lock);
  if (held) mpipp_perturb_stages_give(held->stages);
  return held != NULL;
}

void mpipp_perturb_substitute_receive(const struct mpipp_call *call) {
  const MPI_Request *requests = (const MPI_Request *)(uintptr_t)call->requests;
  if (!MPIPP_READ(mpipp_perturb_substitute_count)) return;
  for (int64_t i = 0; requests && i < call->request_count; i++) {
    const struct mpipp_request *one = mpipp_find_live(MPIPP_REQUEST, MPIPP_KEY(requests[i]));
    if (!one || MPIPP_READ(one->state) != MPIPP_REQUEST_INACTIVE) continue;
    pthread_mutex_lock(&lock);
    struct mpipp_substitute *held = persistent_substitute(requests[i], 0);
    if (held) held->is_receiving = 1;
    pthread_mutex_unlock(&lock);
    if (!held) continue;
    mpipp_perturb_stages_take(held->stages);
    for (const struct mpipp_stage *each = held->stages; each; each = each->next)
      mpipp_perturb_stage_spoil(each);
    mpipp_perturb_note(&held->at, MPIPP_WAY_JUNK, NULL, 0);
  }
}

void mpipp_perturb_substitute_drop_receive(const struct mpipp_call *call) {
  const MPI_Request *requests = (const MPI_Request *)(uintptr_t)call->requests;
  for (int64_t i = 0; requests && i < call->request_count; i++) end_receive(requests[i]);
}

void mpipp_perturb_substitute_complete(MPI_Request before, MPI_Request *now) {
  if (end_receive(before) || mpipp_perturb_substitute_state(before) & MPIPP_SUBSTITUTE_PERSISTENT)
    return;
  struct mpipp_substitute *held = mpipp_perturb_substitute_take(before);
  if (!held) return;
  mpipp_perturb_stages_end(held->stages);
  if (held->is_late && *now == before) PMPI(Request_free)(now);
  free(held);
}

void mpipp_perturb_substitute_note_completion(uint64_t handle) {
  MPI_Request request = (MPI_Request)(uintptr_t)handle;
  if (end_receive(request) || mpipp_perturb_substitute_state(request) & MPIPP_SUBSTITUTE_PERSISTENT)
    return;
  pthread_mutex_lock(&lock);
  struct mpipp_substitute *held = *find(request);
  struct mpipp_stage *stages = held ? held->stages : NULL;
  if (held) held->stages = NULL, held->is_told = 1;
  pthread_mutex_unlock(&lock);
  mpipp_perturb_stages_end(stages);
}

int mpipp_perturb_substitute_state(MPI_Request request) {
  if (!MPIPP_READ(mpipp_perturb_substitute_count)) return 0;
  pthread_mutex_lock(&lock);
  const struct mpipp_substitute *held = *find(request);
  int state = 0;
  if (held && held->is_late) state |= MPIPP_SUBSTITUTE_LATE;
  if (held && held->is_told) state |= MPIPP_SUBSTITUTE_REPORTED;
  if (held && held->is_persistent) state |= MPIPP_SUBSTITUTE_PERSISTENT;
  pthread_mutex_unlock(&lock);
  return state;
}

// Starts the operation immediately while another thread may call MPI. That thread might be in a
// blocking call that waits for the operation. Operations that were deferred before are started by
// the other threads or here: a new thread registers, and then searches for them.
void mpipp_perturb_substitute_defer(struct mpipp_substitute *held) {
  pthread_mutex_lock(&lock);
  held->next_late = NULL;
  held->at = *mpipp_perturb_call_site();
  *last_late = held;
  last_late = &held->next_late;
  pthread_mutex_unlock(&lock);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  int alone =
      !MPIPP_READ(mpipp_registry.several_threads) || !MPIPP_READ(mpipp_registry_several_threads);
  if (!alone) mpipp_perturb_substitute_start(NULL);
}

static void start(struct mpipp_substitute *held, MPI_Request *request) {
#ifdef MPIPP_HAVE_Pready
  if (held->ready)
    PMPI(Pready_list)(held->ready_count, held->ready, *request);
  else
#endif
    PMPI(Start)(request);
  if (!held->is_start) return;
  free(held->ready);
  free(held);
}

// Holds the lock until all have started, so that no later operation starts before them.
void mpipp_perturb_substitute_start(const struct mpipp_at *by) {
  if (!MPIPP_READ(late)) return;
  pthread_mutex_lock(&lock);
  for (struct mpipp_substitute *held = late, *next; held; held = next) {
    MPI_Request request = held->request;
    next = held->next_late;
    mpipp_perturb_note(&held->at, by ? MPIPP_WAY_WAITS : MPIPP_WAY_AT_ONCE, by, 0);
    start(held, &request);
  }
  late = NULL;
  last_late = &late;
  pthread_mutex_unlock(&lock);
}

int mpipp_perturb_substitute_waits(MPI_Request request) {
  int found = 0;
  if (!MPIPP_READ(late)) return 0;
  pthread_mutex_lock(&lock);
  for (const struct mpipp_substitute *held = late; held && !found; held = held->next_late)
    found = held->request == request && !held->ready;
  pthread_mutex_unlock(&lock);
  return found;
}

void mpipp_perturb_substitute_abandon(struct mpipp_substitute *held) {
  pthread_mutex_lock(&lock);
  held->next = abandoned;
  abandoned = held;
  pthread_mutex_unlock(&lock);
}

void mpipp_perturb_substitute_test_orphans(void) {
  if (!MPIPP_READ(abandoned)) return;
  pthread_mutex_lock(&lock);
  struct mpipp_substitute *held = abandoned, *rest = NULL;
  abandoned = NULL;
  pthread_mutex_unlock(&lock);
  while (held) {
    struct mpipp_substitute *next = held->next;
    int flag = 0;
    PMPI(Test)(&held->request, &flag, MPI_STATUS_IGNORE);
    if (flag) {
      mpipp_perturb_stages_end(held->stages);
      if (held->is_persistent) PMPI(Request_free)(&held->request);
      free(held);
    } else {
      held->next = rest;
      rest = held;
    }
    held = next;
  }
  while (rest) {
    held = rest->next;
    mpipp_perturb_substitute_abandon(rest);
    rest = held;
  }
}
