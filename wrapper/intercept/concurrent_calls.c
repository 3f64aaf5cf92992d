// SPDX-License-Identifier: MIT
// A hook that needs no passage: it checks a call when the hooks are asked whether they want it.
//
// Each call notes itself at the object that it uses. If the call that was noted there before is
// still active, both are active at the same time. A call ends in a thread's record before the
// thread can do anything that orders another thread after the call. So correctly ordered calls are
// never found.
#include "intercept/concurrent_calls.h"

#include <stddef.h>

#include "abi/mpi_symbols.h"
#include "generated/facts.h"
#include "intercept/hooks.h"
#include "intercept/thread_violations.h"
#include "recorder/requests/completion_calls.h"
#include "recorder/threads/threads.h"
#include "registry/object_store.h"

enum { ORDER = 10, CALL_BITS = 40 };

// A number for the thread's active call: the thread's serial and the call's.
static uint64_t number_of(const struct mpipp_thread *thread) {
  uint64_t serial = MPIPP_READ(thread->call.serial);
  return thread->serial << CALL_BITS | (serial & (((uint64_t)1 << CALL_BITS) - 1));
}

// The thread of another thread's call with that number, if it is still active; else NULL.
static struct mpipp_thread *active_thread(const struct mpipp_thread *self, uint64_t number) {
  uint64_t serial = number >> CALL_BITS;
  if (!number || serial == (self->serial & (~(uint64_t)0 >> CALL_BITS))) return NULL;
  struct mpipp_thread *other = mpipp_recorder_find_thread(serial);
  if (!other || number_of(other) != number) return NULL;
  return __atomic_load_n(&other->depth, __ATOMIC_ACQUIRE) ? other : NULL;
}

static void report(struct mpipp_thread *self, struct mpipp_thread *other, uint64_t number,
                   enum mpipp_breach_kind kind) {
  const struct mpipp_call *call = &self->call;
  uint64_t serial = MPIPP_READ(other->call.serial);
  uint64_t outside = mpipp_outside_mpi(mpipp_call_place(self));
  struct mpipp_breach breach = {.level = MPIPP_THREAD_MULTIPLE,
                                .kind = kind,
                                .procedure = call->procedure,
                                .tid = self->tid,
                                .caller = outside};
  if (number_of(other) != number) return; // the other call has returned meanwhile
  if (!mpipp_intercept_is_thread_of_mpi(call->caller, outside))
    mpipp_intercept_add_concurrent(&breach, other, serial);
}

// The word for the last collective call on the call's communicator, window or file; NULL if it has
// none.
static uint64_t *user_of(const struct mpipp_call *call, enum mpipp_breach_kind *kind) {
  enum mpipp_scope scope = (enum mpipp_scope)mpipp_facts[call->procedure].over;
  if (scope == MPIPP_OVER_COMM && call->present & MPIPP_HAS_COMM) {
    struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, call->comm);
    *kind = MPIPP_BREACH_COMM;
    return comm ? &comm->user : NULL;
  }
  if (scope == MPIPP_OVER_WIN && call->present & MPIPP_HAS_WIN) {
    struct mpipp_win *win = mpipp_find_live(MPIPP_WIN, call->win);
    *kind = MPIPP_BREACH_WIN;
    return win ? &win->user : NULL;
  }
  if (scope == MPIPP_OVER_FILE && call->present & MPIPP_HAS_FILE) {
    struct mpipp_file *file = mpipp_find_live(MPIPP_FILE, call->file);
    *kind = MPIPP_BREACH_FILE;
    return file ? &file->user : NULL;
  }
  return NULL;
}

static void use_collectively(struct mpipp_thread *self) {
  enum mpipp_breach_kind kind;
  uint64_t *user = user_of(&self->call, &kind);
  if (!user) return;
  uint64_t before = __atomic_exchange_n(user, number_of(self), __ATOMIC_SEQ_CST);
  struct mpipp_thread *other = active_thread(self, before);
  if (MPIPP_UNLIKELY(other != NULL)) report(self, other, before, kind);
}

// The record of an active request that alone has the handle; else NULL. The caller holds the lock.
static struct mpipp_request *request_of(uint64_t handle) {
  struct mpipp_request *request = mpipp_find_live(MPIPP_REQUEST, handle);
  if (!request || request->newer || request->state != MPIPP_REQUEST_ACTIVE) return NULL;
  return request->object.flags & (MPIPP_FLAG_NULL | MPIPP_FLAG_ENDED) ? NULL : request;
}

// Notes the thread's call at the request with that handle. Returns the number of the call that was
// noted before; 0 if there is none. The record may serve for another request with the same handle
// before the thread that completed the first one has left its call. So the request's serial counts,
// too. The caller holds the lock.
static uint64_t note_completer(const struct mpipp_thread *thread, uint64_t handle) {
  struct mpipp_request *request = request_of(handle);
  if (!request) return 0;
  uint64_t before =
      request->completer_of == request->object.serial ? request->completer : (uint64_t)0;
  request->completer = number_of(thread);
  request->completer_of = request->object.serial;
  return before;
}

static void use_requests(struct mpipp_thread *self) {
  const struct mpipp_call *call = &self->call;
  const MPI_Request *handles = (const MPI_Request *)(uintptr_t)call->requests;
  struct mpipp_thread *other = NULL;
  uint64_t number = 0;
  mpipp_registry_lock();
  for (int64_t i = 0; handles && i < call->request_count; i++) {
    uint64_t before = note_completer(self, MPIPP_KEY(handles[i]));
    if (other) continue;
    number = before;
    other = active_thread(self, before);
  }
  mpipp_registry_unlock();
  if (MPIPP_UNLIKELY(other != NULL)) report(self, other, number, MPIPP_BREACH_COMPLETION);
}

static int look(const struct mpipp_call *call) {
  if (mpipp_facts[call->procedure].over != MPIPP_OVER_NONE)
    use_collectively(mpipp_recorder_self);
  else if (mpipp_completes_requests(call->procedure))
    use_requests(mpipp_recorder_self);
  return 0;
}

static struct mpipp_hook hook = {.wants = look, .order = ORDER};

// Notes a call that another thread has begun before the hook was added. Its array of requests may
// be gone at any time, so only a copy in the registry is read.
static void note_active_call(struct mpipp_thread *other) {
  enum mpipp_breach_kind kind;
  const struct mpipp_call *call = &other->call;
  if (!__atomic_load_n(&other->depth, __ATOMIC_ACQUIRE)) return;
  if (__atomic_load_n(&call->state, __ATOMIC_ACQUIRE) != MPIPP_CALL_ACTIVE) return;
  uint64_t *user = user_of(call, &kind);
  if (user) __atomic_store_n(user, number_of(other), __ATOMIC_SEQ_CST);
  if (!mpipp_completes_requests(call->procedure) || other->shown_serial != call->serial) return;
  const MPI_Request *handles = (const MPI_Request *)(uintptr_t)other->shown;
  mpipp_registry_lock();
  for (int64_t i = 0; i < call->request_count && (uint64_t)i < other->shown_room; i++)
    note_completer(other, MPIPP_KEY(handles[i]));
  mpipp_registry_unlock();
}

void mpipp_intercept_compare_threads(void) {
  static int is_in;
  if (__atomic_exchange_n(&is_in, 1, __ATOMIC_SEQ_CST)) return;
  mpipp_recorder_thread_ends = mpipp_intercept_confirm_violations;
  mpipp_hook_in(&hook);
  struct mpipp_thread *other = NULL;
  while ((other = mpipp_recorder_next_thread(mpipp_recorder_self, other))) note_active_call(other);
}
