// SPDX-License-Identifier: MIT
#include "intercept/hook_chain.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "recorder/matching/channels.h"
#include "recorder/objects/datatypes.h"
#include "registry/registry.h"

_Static_assert(sizeof(MPI_Status) <= sizeof((struct mpipp_passage *)0)->room, "one has room");
_Static_assert(sizeof(struct mpipp_passage) <= sizeof((struct mpipp_thread *)0)->room, "it fits");

// Finds memory for the call's statuses. If the program ignores them, MPI stores them in memory of
// this interface instead.
static void find_status(struct mpipp_passage *passage) {
  int ignored = passage->status == (void *)MPI_STATUS_IGNORE ||
                passage->status == (void *)MPI_STATUSES_IGNORE;
  if (!ignored) return;
  passage->status = NULL;
  passage->own_statuses = 1;
  if (passage->statuses <= 0) return; // MPI itself reports a negative number
  size_t count = (size_t)passage->statuses;
  // MPI also reports a missing array of requests. `count` may then be any number, and is not used
  // to allocate statuses.
  if (count > 1 && !passage->call->requests) return;
  MPI_Status *own =
      count > 1 ? mpipp_registry_allocate(count * sizeof *own) : (void *)passage->room;
  // the values until MPI stores a status
  for (size_t i = 0; own && i < count; i++)
    own[i] = (MPI_Status){.MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG};
  passage->status = own;
}

MPI_Status *mpipp_intercept_passed_status(const struct mpipp_passage *passage, MPI_Status *status) {
  return passage->own_statuses && passage->status ? passage->status : status;
}

uint64_t mpipp_intercept_passed_address(const struct mpipp_passage *passage, unsigned role,
                                        uint64_t address) {
  const struct mpipp_call *call = passage->call;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    if (call->buffers[i].role == mpipp_role(role)) return passage->addresses[i];
  }
  return address;
}

// Sets only the members for results, because most of the passage is spare memory.
static void set_results(struct mpipp_passage *passage, const struct mpipp_passage *results) {
  static const struct mpipp_passage nothing;
  enum { FROM = offsetof(struct mpipp_passage, base), TO = offsetof(struct mpipp_passage, code) };
  memcpy((char *)passage + FROM, (const char *)(results ? results : &nothing) + FROM, TO - FROM);
  passage->code = 0;
  passage->refused = 0;
  passage->own_statuses = 0;
  passage->last = NULL;
}

struct mpipp_passage *mpipp_intercept_enter_hooks(struct mpipp_thread *thread,
                                                  const struct mpipp_passage *results) {
  int saved = errno, verdict = MPIPP_GO_ON;
  struct mpipp_call *call = &thread->call;
  struct mpipp_passage *passage = (void *)thread->room;
  set_results(passage, results);
  passage->call = call;
  for (uint32_t i = 0; i < call->buffer_count; i++)
    passage->addresses[i] = call->buffers[i].address;
  find_status(passage);
  if (call->present & MPIPP_HAS_UNKNOWN) mpipp_recorder_import_certain(call);
  thread->passage = (uint64_t)(uintptr_t)passage;
  for (struct mpipp_hook *hook = mpipp_intercept_hooks; hook && verdict == MPIPP_GO_ON;
       hook = hook->next) {
    passage->last = hook;
    if (hook->enter) verdict = hook->enter(passage);
  }
  if (verdict == MPIPP_DROPPED) mpipp_recorder_uncount(call);
  passage->over = verdict != MPIPP_GO_ON;
  errno = saved;
  return passage;
}

void mpipp_intercept_drop_passage(struct mpipp_thread *thread) {
  struct mpipp_passage *passage = (void *)(uintptr_t)thread->passage;
  if (!passage) return;
  if (passage->own_statuses && passage->status != (void *)passage->room)
    mpipp_registry_free(passage->status);
  thread->passage = 0;
}

int mpipp_intercept_leave_hooks(struct mpipp_thread *thread, int code) {
  int saved = errno;
  struct mpipp_passage *passage = (void *)(uintptr_t)thread->passage;
  passage->code = code;
  for (const struct mpipp_hook *hook = passage->last; hook; hook = hook->previous) {
    if (hook->leave) hook->leave(passage);
  }
  code = passage->code;
  mpipp_intercept_drop_passage(thread);
  errno = saved;
  return code;
}
