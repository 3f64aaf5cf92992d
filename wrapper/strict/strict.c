// SPDX-License-Identifier: MIT
// Blocking collective calls are compared before they do anything (mpipp run --check --strict).
//
// Each process adds a term to a sum on a shadow communicator, and the sum vanishes if the calls
// agree. If it does not, every process still is before its call, and the watcher looks at them.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "generated/facts.h"
#include "intercept/seam.h"
#include "mpi/resolve.h"
#include "recorders/channels.h"
#include "records/registry.h"
#include "records/store.h"
#include "strict/shadows.h"
#include "watch/connection.h"
#include "watch/disagreement.h"

enum on_error { REPORT, HANDLER, ABORT };
static enum on_error on_error = REPORT;
static _Thread_local uint64_t to_be_freed; // the shadow of the communicator that a call frees

static uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0xBF58476D1CE4E5B9u;
  return hash ^ hash >> 29;
}

static int is_compared(const struct mpipp_facts *facts) {
  return facts->form == MPIPP_FORM_BLOCKING && facts->over == MPIPP_OVER_COMM;
}

static struct mpipp_comm *comm_of(const struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  if (call->present & MPIPP_HAS_COMM) return mpipp_find_live(MPIPP_COMM, call->comm);
  if (passage->kind != MPIPP_COMM || !passage->handle) return NULL; // which it ends
  return mpipp_find_live(MPIPP_COMM, MPIPP_KEY(*(MPI_Comm *)passage->handle));
}

// Of a predefined operation, by its name: handles differ between processes. MPI compares none of
// the program's own.
static uint64_t operation(uint64_t handle) {
  const struct mpipp_object *op = mpipp_find_live(MPIPP_OP, handle);
  const char *name =
      op && op->flags & MPIPP_FLAG_PREDEFINED ? (const char *)(uintptr_t)op->name : NULL;
  uint64_t value = 1;
  while (name && *name) value = value * 31 + (unsigned char)*name++;
  return value;
}

// What all processes must give alike.
static uint64_t digest(const struct mpipp_call *call, const struct mpipp_facts *facts) {
  uint64_t value = mixed(1, facts->operation);
  if (facts->agree & MPIPP_AGREE_ROOT) value = mixed(value, (uint64_t)call->root);
  if (facts->agree & MPIPP_AGREE_OP) value = mixed(value, operation(call->op));
  return value;
}

static uint64_t weight(int rank) {
  return mixed(0x9E3779B97F4A7C15u, (uint64_t)rank);
}

// Whether the calls of all processes agree, as far as the sum tells.
static int agree(const struct mpipp_comm *comm, uint64_t digest) {
  int next = comm->rank + 1 == comm->size ? 0 : comm->rank + 1;
  uint64_t term = (weight(comm->rank) - weight(next)) * digest, sum = 0;
  int code = PMPI(Allreduce)(&term, &sum, 1, MPI_UINT64_T, MPI_SUM, mpipp_shadow(comm));
  return code != MPI_SUCCESS || sum == 0;
}

static uint64_t of_this_node(void) {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  uint64_t hash = 1;
  PMPI(Get_processor_name)(name, &length);
  for (int i = 0; i < length; i++) hash = mixed(hash, (unsigned char)name[i]);
  return hash;
}

static enum mpipp_disagreement ask(const struct mpipp_call *call, const struct mpipp_comm *comm) {
  static uint64_t asked = 0;
  const struct mpipp_thread *thread = mpipp_thread_of(call);
  struct mpipp_disagreeing question = {.pid = mpipp_registry.pid,
                                       .tid = thread->tid,
                                       .identity = comm->identity,
                                       .processes = (uint32_t)comm->size};
  uint64_t own = of_this_node(), *nodes = mpipp_allocate((size_t)comm->size * sizeof *nodes);
  if (!nodes) return MPIPP_AGREE;
  question.number = mixed(mixed(own, mpipp_registry.pid), __atomic_add_fetch(&asked, 1, 5));
  PMPI(Bcast)(&question.number, 1, MPI_UINT64_T, 0, mpipp_shadow(comm));
  PMPI(Allgather)(&own, 1, MPI_UINT64_T, nodes, 1, MPI_UINT64_T, mpipp_shadow(comm));
  for (int i = 0; i < comm->size; i++) question.here += nodes[i] == own;
  mpipp_free(nodes);
  return mpipp_ask_watcher(&question);
}

static int error_class(enum mpipp_disagreement found) {
  switch (found) {
  case MPIPP_DIFFER_ROOT:
    return MPI_ERR_ROOT;
  case MPIPP_DIFFER_OP:
    return MPI_ERR_OP;
  case MPIPP_DIFFER_TYPE:
    return MPI_ERR_TYPE;
  case MPIPP_DIFFER_COUNT:
    return MPI_ERR_COUNT;
  case MPIPP_DIFFER_CALL:
    return MPI_ERR_OTHER;
  default:
    return MPI_ERR_ARG;
  }
}

// Whether the communicator's error handler is the one that ends the job.
static int is_fatal(MPI_Comm comm) {
  MPI_Errhandler handler;
  if (PMPI(Comm_get_errhandler)(comm, &handler) != MPI_SUCCESS) return 0;
  int fatal = handler == MPI_ERRORS_ARE_FATAL;
  if (!mpipp_is_constant(MPIPP_ERRHANDLER, MPIPP_KEY(handler))) PMPI(Errhandler_free)(&handler);
  return fatal;
}

// The call does not begin, in any process.
static int fail(struct mpipp_passage *passage, MPI_Comm comm, enum mpipp_disagreement found) {
  passage->code = error_class(found);
  if (on_error == ABORT || is_fatal(comm)) mpipp_watch_over(MPIPP_OVER_STOPPED);
  if (on_error == ABORT) PMPI(Abort)(comm, 1);
  PMPI(Comm_call_errhandler)(comm, passage->code);
  return MPIPP_DROPPED;
}

static int enter(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  const struct mpipp_facts *facts = &mpipp_facts[call->procedure];
  to_be_freed = 0;
  if (!is_compared(facts)) return MPIPP_GO_ON;
  const struct mpipp_comm *comm = comm_of(passage);
  if (!comm || !comm->shadow) return MPIPP_GO_ON;
  enum mpipp_disagreement found =
      MPIPP_LIKELY(agree(comm, digest(call, facts))) ? MPIPP_AGREE : ask(call, comm);
  if (found != MPIPP_AGREE && on_error != REPORT)
    return fail(passage, (MPI_Comm)(uintptr_t)comm->object.handle, found);
  if (!(call->present & MPIPP_HAS_COMM)) to_be_freed = comm->shadow;
  return MPIPP_GO_ON;
}

static void leave(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  const struct mpipp_facts *facts = &mpipp_facts[call->procedure];
  uint64_t shadow = to_be_freed;
  to_be_freed = 0;
  if (passage->code != MPI_SUCCESS) return;
  if (shadow) mpipp_shadow_free(shadow);
  int initial = call->procedure == MPIPP_PROC_Init || call->procedure == MPIPP_PROC_Init_thread;
  int makes = passage->kind == MPIPP_COMM && passage->handle &&
              facts->form == MPIPP_FORM_BLOCKING && facts->over != MPIPP_OVER_NONE;
  if (!initial && !makes) return;
  MPI_Comm comm = initial ? MPI_COMM_WORLD : *(MPI_Comm *)passage->handle;
  struct mpipp_comm *record =
      comm == MPI_COMM_NULL ? NULL : mpipp_find_live(MPIPP_COMM, MPIPP_KEY(comm));
  if (record && !record->shadow) mpipp_shadow_make(record, comm);
}

__attribute__((constructor)) static void hook_in(void) {
  static struct mpipp_hook hook = {.enter = enter, .leave = leave};
  const char *strict = getenv("MPIPP_STRICT");
  if (!strict || !getenv("MPIPP_WATCH")) return;
  if (strcmp(strict, "handler") == 0) on_error = HANDLER;
  if (strcmp(strict, "abort") == 0) on_error = ABORT;
  mpipp_hook_in(&hook);
}
