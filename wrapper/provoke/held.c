// SPDX-License-Identifier: MIT
#include "provoke/held.h"

#include <pthread.h>
#include <stdlib.h>

#include "mpi/resolve.h"
#include "records/registry.h"
#include "records/store.h"

enum { BUCKETS = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mpipp_held *buckets[BUCKETS], *late, **last_late = &late, *abandoned;
int mpipp_held_count MPIPP_HIDDEN = 0;

static struct mpipp_held **bucket(MPI_Request request) {
  return &buckets[mpipp_hash(MPIPP_KEY(request)) % BUCKETS];
}

// Behind others with that handle: MPI gives it out again before the thread that has completed the
// operation before has taken that from here.
void mpipp_hold(struct mpipp_held *held, MPI_Request request) {
  held->request = request;
  held->next = NULL;
  pthread_mutex_lock(&lock);
  struct mpipp_held **at = bucket(request);
  while (*at) at = &(*at)->next;
  *at = held;
  mpipp_held_count++;
  pthread_mutex_unlock(&lock);
}

static struct mpipp_held **find(MPI_Request request) {
  struct mpipp_held **at = bucket(request);
  while (*at && (*at)->request != request) at = &(*at)->next;
  return at;
}

struct mpipp_held *mpipp_held_take(MPI_Request request) {
  if (!MPIPP_READ(mpipp_held_count)) return NULL;
  pthread_mutex_lock(&lock);
  struct mpipp_held **at = find(request), *found = *at;
  if (found) *at = found->next, mpipp_held_count--;
  pthread_mutex_unlock(&lock);
  return found;
}

void mpipp_held_complete(MPI_Request before, MPI_Request *now) {
  struct mpipp_held *held = mpipp_held_take(before);
  if (!held) return;
  mpipp_stages_end(held->stages);
  if (held->is_late && *now == before) PMPI(Request_free)(now);
  free(held);
}

void mpipp_held_told(uint64_t handle) {
  pthread_mutex_lock(&lock);
  struct mpipp_held *held = *find((MPI_Request)(uintptr_t)handle);
  struct mpipp_stage *stages = held ? held->stages : NULL;
  if (held) held->stages = NULL, held->is_told = 1;
  pthread_mutex_unlock(&lock);
  mpipp_stages_end(stages);
}

int mpipp_held_state(MPI_Request request) {
  if (!MPIPP_READ(mpipp_held_count)) return 0;
  pthread_mutex_lock(&lock);
  const struct mpipp_held *held = *find(request);
  int state =
      held ? (held->is_late ? MPIPP_HELD_LATE : 0) | (held->is_told ? MPIPP_HELD_TOLD : 0) : 0;
  pthread_mutex_unlock(&lock);
  return state;
}

// One that blocks while another thread may call MPI must not have to wait for what that one has
// not started: then all are started at once. Those that have begun before others call MPI are
// started by these, or here: a thread says that it is there, and looks for them then.
void mpipp_held_later(struct mpipp_held *held) {
  pthread_mutex_lock(&lock);
  held->next_late = NULL;
  held->at = *mpipp_here();
  *last_late = held;
  last_late = &held->next_late;
  pthread_mutex_unlock(&lock);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  int alone = !MPIPP_READ(mpipp_registry.several_threads) || !MPIPP_READ(mpipp_several_threads);
  if (!alone) mpipp_held_start(NULL);
}

// With the lock, and there until all have started: nobody's next operation comes before them.
void mpipp_held_start(const struct mpipp_at *by) {
  if (!MPIPP_READ(late)) return;
  pthread_mutex_lock(&lock);
  for (struct mpipp_held *held = late, *next; held; held = next) {
    MPI_Request request = held->request;
    next = held->next_late;
    mpipp_note(&held->at, by ? MPIPP_WAY_WAITS : MPIPP_WAY_AT_ONCE, by, 0);
    PMPI(Start)(&request);
    if (held->is_start) free(held);
  }
  late = NULL;
  last_late = &late;
  pthread_mutex_unlock(&lock);
}

void mpipp_held_abandon(struct mpipp_held *held) {
  pthread_mutex_lock(&lock);
  held->next = abandoned;
  abandoned = held;
  pthread_mutex_unlock(&lock);
}

void mpipp_held_ask_abandoned(void) {
  if (!MPIPP_READ(abandoned)) return;
  pthread_mutex_lock(&lock);
  struct mpipp_held *held = abandoned, *rest = NULL;
  abandoned = NULL;
  pthread_mutex_unlock(&lock);
  while (held) {
    struct mpipp_held *next = held->next;
    int flag = 0;
    PMPI(Test)(&held->request, &flag, MPI_STATUS_IGNORE);
    if (flag) {
      mpipp_stages_end(held->stages);
      free(held);
    } else {
      held->next = rest;
      rest = held;
    }
    held = next;
  }
  while (rest) {
    held = rest->next;
    mpipp_held_abandon(rest);
    rest = held;
  }
}
