// SPDX-License-Identifier: MIT
// Blocking collective calls are compared before they do anything (mpipp run --check --strict).
//
// Each process adds its terms to sums on a shadow communicator, which vanish if the calls agree. If
// they do not, every process still is before its call, and the watcher looks at them.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "generated/facts.h"
#include "intercept/seam.h"
#include "mpi/resolve.h"
#include "recorders/channels.h"
#include "records/registry.h"
#include "records/store.h"
#include "strict/later.h"
#include "strict/shadows.h"
#include "strict/terms.h"
#include "watch/connection.h"
#include "watch/disagreement.h"

enum on_error { REPORT, HANDLER, ABORT };
static enum on_error on_error = REPORT;
static _Thread_local uint64_t to_be_freed; // the shadow of what a call frees

static uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0xBF58476D1CE4E5B9u;
  return hash ^ hash >> 29;
}

// Split collective calls may each be the blocking one (MPI-4.1, section 14.4.5).
static int is_compared(const struct mpipp_facts *facts) {
  return facts->over != MPIPP_OVER_NONE &&
         (facts->form == MPIPP_FORM_BLOCKING || facts->form == MPIPP_FORM_SPLIT_BEGIN ||
          facts->form == MPIPP_FORM_SPLIT_END);
}

// Sums that do not vanish, and are right all the same: the rules for MPI_PACKED are not sums.
enum { REMEMBERED = 64 };
static uint64_t right[REMEMBERED];

static uint64_t *remembered(uint64_t sum) {
  return &right[sum % REMEMBERED];
}

// Of the watcher, one of several there may be on a node.
static uint64_t of_this_node(void) {
  const char *watcher = getenv("MPIPP_WATCH");
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  uint64_t hash = 1;
  PMPI(Get_processor_name)(name, &length);
  for (int i = 0; i < length; i++) hash = mixed(hash, (unsigned char)name[i]);
  for (; watcher && *watcher; watcher++) hash = mixed(hash, (unsigned char)*watcher);
  return hash;
}

// How many of the processes are on this node.
static uint32_t here(const struct mpipp_shadow *shadow, uint64_t own) {
  uint64_t *nodes = mpipp_allocate((size_t)shadow->size * sizeof *nodes);
  uint32_t found = 0;
  int all = nodes != NULL;
  PMPI(Allreduce)(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, shadow->comm);
  if (all) PMPI(Allgather)(&own, 1, MPI_UINT64_T, nodes, 1, MPI_UINT64_T, shadow->comm);
  for (int i = 0; all && i < shadow->size; i++) found += nodes[i] == own;
  mpipp_free(nodes);
  return found;
}

// In all processes: what the watcher has found in any of them.
static enum mpipp_disagreement ask(const struct mpipp_call *call, const struct mpipp_shadow *shadow,
                                   uint64_t sum) {
  static uint64_t asked = 0;
  uint64_t own = of_this_node(), *known = remembered(sum);
  int forgotten = MPIPP_READ(*known) != sum, found;
  PMPI(Allreduce)(MPI_IN_PLACE, &forgotten, 1, MPI_INT, MPI_MAX, shadow->comm);
  if (!forgotten) return MPIPP_AGREE;
  struct mpipp_disagreeing question = {.pid = mpipp_registry.pid,
                                       .tid = mpipp_thread_of(call)->tid,
                                       .identity = shadow->identity,
                                       .here = here(shadow, own),
                                       .processes = (uint32_t)shadow->size};
  question.number =
      mixed(mixed(own, mpipp_registry.pid), __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED));
  PMPI(Bcast)(&question.number, 1, MPI_UINT64_T, 0, shadow->comm);
  found = (int)mpipp_ask_watcher(&question);
  PMPI(Allreduce)(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_MAX, shadow->comm);
  if (found == MPIPP_AGREE) MPIPP_WRITE(*known, sum);
  return (enum mpipp_disagreement)found;
}

static enum mpipp_disagreement compare(const struct mpipp_call *call,
                                       const struct mpipp_shadow *shadow) {
  struct mpipp_position position = {shadow->rank, shadow->size, shadow->inter};
  struct mpipp_terms terms = mpipp_terms_of(call, position);
  uint64_t term = mpipp_one_word(terms), sum = 0;
  int code = PMPI(Allreduce)(&term, &sum, 1, MPI_UINT64_T, MPI_SUM, shadow->comm);
  if (MPIPP_LIKELY(code != MPI_SUCCESS || !sum)) return MPIPP_AGREE;
  return ask(call, shadow, sum);
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

// The handles of what the call is collective over.
struct handles {
  MPI_Comm comm;
  MPI_Win win;
  MPI_File file;
  enum mpipp_kind kind;
};

static struct handles handles_of(const struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  struct handles found = {MPI_COMM_NULL, MPI_WIN_NULL, MPI_FILE_NULL, MPIPP_COMM};
  unsigned over = mpipp_facts[call->procedure].over;
  if (over == MPIPP_OVER_WIN) {
    found.kind = MPIPP_WIN;
    found.win =
        call->present & MPIPP_HAS_WIN ? (MPI_Win)(uintptr_t)call->win : *(MPI_Win *)passage->handle;
  } else if (over == MPIPP_OVER_FILE) {
    found.kind = MPIPP_FILE;
    found.file = call->present & MPIPP_HAS_FILE ? (MPI_File)(uintptr_t)call->file
                                                : *(MPI_File *)passage->handle;
  } else if (call->procedure == MPIPP_PROC_File_open) {
    found.kind = MPIPP_FILE; // there is no file yet (MPI-4.1, section 14.7)
  } else {
    found.comm = call->present & MPIPP_HAS_COMM ? (MPI_Comm)(uintptr_t)call->comm
                                                : *(MPI_Comm *)passage->handle;
  }
  return found;
}

// Whether the error handler is the one that ends the job.
static int is_fatal(const struct handles *of) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (of->kind == MPIPP_WIN)
    PMPI(Win_get_errhandler)(of->win, &handler);
  else if (of->kind == MPIPP_FILE)
    PMPI(File_get_errhandler)(of->file, &handler);
  else
    PMPI(Comm_get_errhandler)(of->comm, &handler);
  int fatal = handler == MPI_ERRORS_ARE_FATAL;
  if (handler != MPI_ERRHANDLER_NULL && !mpipp_is_constant(MPIPP_ERRHANDLER, MPIPP_KEY(handler)))
    PMPI(Errhandler_free)(&handler);
  return fatal;
}

// The call does not begin, in any process.
static int fail(struct mpipp_passage *passage, enum mpipp_disagreement found) {
  const struct handles of = handles_of(passage);
  passage->code = error_class(found);
  if (on_error == ABORT || is_fatal(&of)) mpipp_watch_over(MPIPP_OVER_STOPPED);
  if (on_error == ABORT) PMPI(Abort)(MPI_COMM_WORLD, 1);
  if (of.kind == MPIPP_WIN)
    PMPI(Win_call_errhandler)(of.win, passage->code);
  else if (of.kind == MPIPP_FILE && (of.file != MPI_FILE_NULL || MPIPP_CALLS_HANDLER_OF_NO_FILE))
    PMPI(File_call_errhandler)(of.file, passage->code);
  else if (of.kind == MPIPP_COMM)
    PMPI(Comm_call_errhandler)(of.comm, passage->code);
  return MPIPP_DROPPED;
}

static int ends(const struct mpipp_call *call) {
  switch (call->procedure) {
  case MPIPP_PROC_Comm_free:
  case MPIPP_PROC_Comm_disconnect:
  case MPIPP_PROC_Win_free:
  case MPIPP_PROC_File_close:
    return 1;
  default:
    return 0;
  }
}

// Of which nobody waits for the others.
static int is_later(const struct mpipp_facts *facts) {
  return facts->over != MPIPP_OVER_NONE &&
         (facts->form == MPIPP_FORM_NONBLOCKING || facts->form == MPIPP_FORM_PERSISTENT);
}

static int waits(uint32_t procedure) {
  return procedure == MPIPP_PROC_Wait || procedure == MPIPP_PROC_Waitall ||
         procedure == MPIPP_PROC_Waitany || procedure == MPIPP_PROC_Waitsome;
}

static int tests(uint32_t procedure) {
  switch (procedure) {
  case MPIPP_PROC_Test:
  case MPIPP_PROC_Testall:
  case MPIPP_PROC_Testany:
  case MPIPP_PROC_Testsome:
    return 1;
  default:
    return 0;
  }
}

static void look(uint32_t procedure) {
  if (!mpipp_later_look(waits(procedure)) || on_error != ABORT) return;
  mpipp_watch_over(MPIPP_OVER_STOPPED);
  PMPI(Abort)(MPI_COMM_WORLD, 1);
}

// What all have started is soon complete; in a wrong program not all have.
static void finish(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  for (time_t until = now.tv_sec + 2; mpipp_later_is_pending() && now.tv_sec < until;) {
    look(MPIPP_PROC_Wait);
    clock_gettime(CLOCK_MONOTONIC, &now);
  }
}

// Once.
static void tell_missing(void) {
  static int told = 0;
  if (!MPIPP_READ(told) && !__atomic_exchange_n(&told, 1, __ATOMIC_ACQ_REL))
    mpipp_tell_not_compared(mpipp_registry.pid);
}

static int enter(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  to_be_freed = 0;
  if (call->procedure == MPIPP_PROC_Finalize) finish();
  if (!is_compared(&mpipp_facts[call->procedure])) return MPIPP_GO_ON;
  if (mpipp_shadows_are_off()) return MPIPP_GO_ON;
  mpipp_shadow_make_late(passage);
  const struct mpipp_shadow shadow = mpipp_shadow_of(passage);
  if (shadow.missing) tell_missing();
  if (shadow.comm == MPI_COMM_NULL) return MPIPP_GO_ON;
  enum mpipp_disagreement found = compare(call, &shadow);
  if (found != MPIPP_AGREE && on_error != REPORT) return fail(passage, found);
  if (ends(call)) to_be_freed = (uint64_t)(uintptr_t)shadow.comm;
  return MPIPP_GO_ON;
}

static void leave(struct mpipp_passage *passage) {
  uint64_t shadow = to_be_freed;
  to_be_freed = 0;
  if (passage->code != MPI_SUCCESS) return;
  if (shadow)
    mpipp_shadow_free((MPI_Comm)(uintptr_t)shadow);
  else if (!ends(passage->call))
    mpipp_shadow_make(passage);
  uint32_t procedure = passage->call->procedure;
  const struct mpipp_facts *facts = &mpipp_facts[procedure];
  if (waits(procedure) || tests(procedure) || is_compared(facts)) return look(procedure);
  if (!is_later(facts) || mpipp_shadows_are_off()) return;
  const struct mpipp_shadow of = mpipp_shadow_of(passage);
  if (of.missing) tell_missing();
  if (of.comm != MPI_COMM_NULL) mpipp_later_begin(passage, &of);
}

__attribute__((constructor)) static void hook_in(void) {
  static struct mpipp_hook hook = {.enter = enter, .leave = leave};
  const char *strict = getenv("MPIPP_STRICT");
  if (!strict || !getenv("MPIPP_WATCH")) return;
  if (strcmp(strict, "handler") == 0) on_error = HANDLER;
  if (strcmp(strict, "abort") == 0) on_error = ABORT;
  mpipp_hook_in(&hook);
}
