// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "call_filter/unrecorded_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <string.h>
#include <strings.h>

#include "abi/mpi_symbols.h"
#include "call_filter/caches/query_cache.h"
#include "call_filter/other_arguments.h"
#include "generated/procedures.h"
#include "recorder/threads/threads.h"
#include "registry/registry.h"

// A handle that a procedure takes. The table has a procedure's handles in the order of its
// parameters.
struct mpipp_marked_handle {
  uint8_t kind;  // enum mpipp_kind
  uint8_t null;  // 1: a null handle is valid, too
  uint16_t role; // the name of the parameter, MPIPP_ROLE_
};
struct mpipp_unrecorded_procedure {
  uint32_t needs_mpi; // 1: the procedure may only be called while MPI is initialized
  uint32_t count;     // number of handles
  struct mpipp_marked_handle handles[2];
};
static const struct mpipp_unrecorded_procedure every[MPIPP_PROCEDURES] = {
#include "generated/marked.inc"
};

enum { MAX_FRAMES = 64 };

// The last valid handle of each kind: usually the next call has the same one.
static const struct mpipp_object *last[MPIPP_KINDS];

static inline int is_last(const struct mpipp_marked_handle *of, uint64_t handle) {
  const struct mpipp_object *object = MPIPP_READ(last[of->kind]);
  return object && MPIPP_READ(object->live) == handle;
}

// Returns whether a handle denotes an object that may be used; otherwise adds the facts that decide
// to `doubt`.
static int is_fine(const struct mpipp_marked_handle *of, uint64_t handle,
                   struct mpipp_doubt *doubt) {
  const struct mpipp_object *object = mpipp_find(of->kind, handle);
  const uint32_t flags = object ? MPIPP_READ(object->flags) : 0;
  if (MPIPP_LIKELY(object && !(flags & (MPIPP_FLAG_ENDED | MPIPP_FLAG_NULL)))) {
    MPIPP_WRITE(last[of->kind], object);
    return 1;
  }
  if (flags & MPIPP_FLAG_NULL && of->null) return 1;
  return mpipp_doubt_reason(doubt, MPIPP_OF_OBJECT + (uint64_t)of->kind * 256,
                            object ? flags : ~handle);
}

// Queries the watcher, as for a recorded call that has these handles as arguments.
static MPIPP_COLD int ask(struct mpipp_thread *thread,
                          const struct mpipp_unrecorded_procedure *known, uint32_t present,
                          struct mpipp_doubt *doubt) {
  struct mpipp_call *call = &thread->call;
  int saved = errno;
  // Kept for a watcher that reads the call after the process has died in it.
  thread->place = mpipp_outside_mpi(call->caller);
  thread->place_serial = call->serial;
  mpipp_doubt(doubt, call->procedure);
  mpipp_doubt(doubt, thread->place);
  int locked = mpipp_lock_kind(MPIPP_REQUEST), asks = mpipp_filter_is_new_doubt(doubt);
  mpipp_unlock_kind(locked);
  errno = saved;
  if (!asks) return 0;
  const uint64_t *values[] = {&thread->handle, &thread->other_handle};
  struct mpipp_input inputs[2];
  for (uint32_t i = 0; i < known->count; i++)
    inputs[i] = (struct mpipp_input){.values = values[i],
                                     .count = 1,
                                     .size = sizeof *values[i],
                                     .shape = MPIPP_SHAPE_HANDLE,
                                     .name = mpipp_role(known->handles[i].role)};
  call->buffer_count = 0;
  call->inputs = (uintptr_t)inputs;
  call->input_count = known->count;
  call->present = present;
  __atomic_store_n(&call->state, MPIPP_CALL_ACTIVE, __ATOMIC_RELEASE);
  int refused = mpipp_filter_ask(thread, doubt, NULL, 0);
  __atomic_store_n(&call->state, MPIPP_CALL_NONE, __ATOMIC_RELEASE);
  call->present = 0;
  errno = saved;
  return refused;
}

static __attribute__((noinline)) int check_handles(struct mpipp_thread *thread,
                                                   const struct mpipp_unrecorded_procedure *known) {
  struct mpipp_doubt doubt = {0};
  int fine = 1;
  if (known->needs_mpi && MPIPP_UNLIKELY(!mpipp_is_mpi_available()))
    fine = mpipp_doubt_reason(&doubt, MPIPP_OF_STATUS, mpipp_registry.status);
  if (known->count > 0) fine &= is_fine(&known->handles[0], thread->handle, &doubt);
  if (known->count > 1) fine &= is_fine(&known->handles[1], thread->other_handle, &doubt);
  return MPIPP_LIKELY(fine) ? 0 : ask(thread, known, MPIPP_HAS_ARGUMENTS, &doubt);
}

// The procedure of a function of a Fortran layer: "pmpi_comm_rank__", "mpi_comm_rank_f08_".
static unsigned procedure_of(const char *function) {
  unsigned procedure = 0;
  if (*function == 'p') function++;
  size_t length = strlen(function);
  while (length && function[length - 1] == '_') length--;
  if (length > 4 && !strncmp(function + length - 4, "_f08", 4)) length -= 4;
  for (; procedure < MPIPP_PROCEDURES; procedure++) {
    const char *name = mpipp_procedure_names[procedure];
    if (strlen(name) == length && !strncasecmp(name, function, length)) break;
  }
  return procedure;
}

void mpipp_filter_check_late_exit(void) {
  struct mpipp_thread *thread = mpipp_recorder_self;
  void *stack[MAX_FRAMES];
  Dl_info found;
  // A call that is recorded, or marked, was checked when it began.
  if (thread == &mpipp_recorder_no_thread || thread->depth) return;
  const int depth = backtrace(stack, MAX_FRAMES);
  int i = 0;
  while (i < depth && !mpipp_abi_in_mpi((uintptr_t)stack[i])) i++;
  while (i < depth && mpipp_abi_in_mpi((uintptr_t)stack[i])) i++;
  if (i >= depth || !dladdr((char *)stack[i - 1] - 1, &found) || !found.dli_sname) return;
  const unsigned procedure = procedure_of(found.dli_sname);
  struct mpipp_doubt doubt = {0};
  if (procedure == MPIPP_PROCEDURES) return;
  thread->call.procedure = (uint16_t)procedure;
  thread->call.caller = (uintptr_t)stack[i];
  mpipp_doubt_reason(&doubt, MPIPP_OF_STATUS, mpipp_registry.status);
  ask(thread, &(struct mpipp_unrecorded_procedure){0}, MPIPP_HAS_AGAIN, &doubt);
}

enum mpipp_kind mpipp_filter_unrecorded_kind(unsigned procedure) {
  return every[procedure].count ? every[procedure].handles[0].kind : MPIPP_KINDS;
}

int mpipp_filter_check_unrecorded_call(unsigned procedure) {
  struct mpipp_thread *thread = mpipp_recorder_self;
  const struct mpipp_unrecorded_procedure *known = &every[procedure];
  if (MPIPP_LIKELY(known->count == 1 && is_last(&known->handles[0], thread->handle)) &&
      MPIPP_LIKELY(mpipp_registry.status == MPIPP_STATUS_STARTED))
    return 0;
  return check_handles(thread, known);
}
