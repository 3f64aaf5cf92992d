// SPDX-License-Identifier: MIT
#include "intercept/hooks.h"

#include <errno.h>
#include <stddef.h>

#include "abi/vendor.h"
#include "recorder/threads/threads.h"
#include "registry/object_store.h"

struct mpipp_hook *mpipp_intercept_hooks = NULL;
int (*mpipp_intercept_before_unrecorded)(unsigned procedure) = NULL;
MPIPP_OFFER(mpipp_intercept_before_unrecorded);
int mpipp_intercept_only_filter = 0;

static void pass_event(enum mpipp_event_kind kind, const struct mpipp_object *object,
                       int64_t position) {
  int saved = errno;
  const struct mpipp_thread *thread = mpipp_recorder_self;
  const struct mpipp_passage *passage = (const void *)(uintptr_t)thread->passage;
  const MPI_Status *status = passage ? passage->status : NULL;
  if (kind != MPIPP_EVENT_COMPLETED || (status && position >= passage->statuses)) status = NULL;
  const struct mpipp_event event = {kind, object, &thread->call, status ? status + position : NULL};
  for (const struct mpipp_hook *hook = mpipp_intercept_hooks; hook; hook = hook->next) {
    if (hook->event) hook->event(&event);
  }
  errno = saved;
}

static void set_listening(void) {
  int listening = 0, to_requests = 0;
  const struct mpipp_hook *first = mpipp_intercept_hooks;
  MPIPP_WRITE(mpipp_intercept_only_filter,
              first && first->order == MPIPP_FILTER_ORDER && !first->next);
  for (const struct mpipp_hook *hook = mpipp_intercept_hooks; hook; hook = hook->next) {
    listening |= hook->event != NULL;
    to_requests |= hook->event && !hook->deaf;
  }
  __atomic_store_n(&mpipp_registry_event_sink, pass_event, __ATOMIC_RELEASE);
  MPIPP_WRITE(mpipp_registry_listening, listening);
  MPIPP_WRITE(mpipp_registry_listening_to_requests, to_requests);
  mpipp_registry_set_unshared_requests();
}

void mpipp_hook_in(struct mpipp_hook *hook) {
  mpipp_registry_lock();
  struct mpipp_hook *previous = NULL, *next = mpipp_intercept_hooks;
  for (; next && next->order <= hook->order; next = next->next) previous = next;
  hook->previous = previous;
  hook->next = next;
  if (next) next->previous = hook;
  __atomic_store_n(previous ? &previous->next : &mpipp_intercept_hooks, hook, __ATOMIC_RELEASE);
  set_listening();
  mpipp_registry_unlock();
}

// The removed hook keeps its own links, because it may be the one that is running.
void mpipp_hook_out(struct mpipp_hook *hook) {
  mpipp_registry_lock();
  if (hook->next) hook->next->previous = hook->previous;
  __atomic_store_n(hook->previous ? &hook->previous->next : &mpipp_intercept_hooks, hook->next,
                   __ATOMIC_RELEASE);
  set_listening();
  mpipp_registry_unlock();
}

void mpipp_intercept_hook_listen(struct mpipp_hook *hook, int hears) {
  mpipp_registry_lock();
  hook->deaf = !hears;
  set_listening();
  mpipp_registry_unlock();
}
