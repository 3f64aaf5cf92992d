// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "intercept/thread_levels.h"

#include <dlfcn.h>
#include <string.h>

#include "abi/mpi_symbols.h"
#include "intercept/concurrent_calls.h"
#include "intercept/thread_violations.h"
#include "recorder/matching/channels.h"
#include "recorder/objects/communicators.h"
#include "recorder/threads/threads.h"
#include "registry/object_store.h"
#include "registry/registry.h"

static uint32_t level = MPIPP_THREAD_UNKNOWN;
// The thread that initialized MPI, and the serial of that call.
static struct mpipp_thread *initializer;
static struct mpipp_breach main_call;
// omp_in_parallel, if the program uses OpenMP, and MPI provides MPI_THREAD_SINGLE.
static int (*in_parallel_region)(void);

static uint32_t own_level(int provided) {
  if (provided == MPI_THREAD_SINGLE) return MPIPP_THREAD_SINGLE;
  if (provided == MPI_THREAD_FUNNELED) return MPIPP_THREAD_FUNNELED;
  if (provided == MPI_THREAD_SERIALIZED) return MPIPP_THREAD_SERIALIZED;
  return MPIPP_THREAD_MULTIPLE;
}

static void watch_threads(void) {
  if (level == MPIPP_THREAD_UNKNOWN || !MPIPP_READ(mpipp_registry_several_threads)) return;
  if (level == MPIPP_THREAD_MULTIPLE) {
    mpipp_intercept_compare_threads();
    return;
  }
  for (struct mpipp_thread *other = NULL; (other = mpipp_recorder_next_thread(NULL, other));)
    MPIPP_WRITE(other->watched, 1);
}

void mpipp_intercept_watch(struct mpipp_thread *thread) {
  (void)thread;
  watch_threads();
  mpipp_recorder_note_concurrency();
}

// The level is below MPI_THREAD_MULTIPLE only if MPI_Init or MPI_Init_thread reports that and there
// is no session. Sessions have thread levels of their own, and some may have been created before
// this library was loaded.
void mpipp_intercept_ask_thread_level(void) {
  static int sessions = 0;
  const struct mpipp_call *call = &mpipp_recorder_self->call;
  int provided = MPI_THREAD_MULTIPLE;
#ifdef MPIPP_HAVE_Session_init
  if (call->procedure == MPIPP_PROC_Session_init) MPIPP_WRITE(sessions, 1);
#endif
  if (call->procedure == MPIPP_PROC_Init || call->procedure == MPIPP_PROC_Init_thread)
    PMPI(Query_thread)(&provided);
  MPIPP_WRITE(level, MPIPP_READ(sessions) ? MPIPP_THREAD_MULTIPLE : own_level(provided));
  mpipp_registry.several_threads = level == MPIPP_THREAD_MULTIPLE;
  initializer = mpipp_recorder_self;
  main_call.other_tid = mpipp_recorder_self->tid;
  main_call.other_thread = mpipp_recorder_self->serial;
  main_call.other_procedure = call->procedure;
  main_call.other_caller = mpipp_outside_mpi(call->caller);
  if (level == MPIPP_THREAD_SINGLE)
    in_parallel_region = (int (*)(void))dlsym(RTLD_DEFAULT, "omp_in_parallel");
  if (in_parallel_region) MPIPP_WRITE(initializer->watched, 1);
  watch_threads();
}

#ifdef MPIPP_HAVE_Session_init
// The value of thread_level in an info: 1 for MPI_THREAD_SINGLE, else 0; -1: the info has none.
static int is_single(MPI_Info info) {
  char value[32] = "";
  int length = sizeof value, flag = 0;
  if (PMPI(Info_get_string)(info, "thread_level", &length, value, &flag) != MPI_SUCCESS || !flag)
    return -1;
  return strcmp(value, "MPI_THREAD_SINGLE") == 0;
}

void mpipp_intercept_session_level(uint64_t session, uint64_t given) {
  static int all_single = 1;
  MPI_Info info, asked = (MPI_Info)(uintptr_t)given;
  int single = -1;
  if (PMPI(Session_get_info)((MPI_Session)(uintptr_t)session, &info) == MPI_SUCCESS) {
    single = is_single(info);
    PMPI(Info_free)(&info);
  }
  if (single < 0 && asked != MPI_INFO_NULL) single = is_single(asked);
  if (!single)
    MPIPP_WRITE(all_single, 0); // a session without this key has the default,
                                // MPI_THREAD_SINGLE
  if (MPIPP_READ(all_single) && !mpipp_recorder_has_world) mpipp_registry.several_threads = 0;
}
#endif

// Returns whether any thread may call the procedure at any time (MPI-4.1, section 11.4.1).
static int is_always_allowed(unsigned procedure) {
  static const char *const prefixes[] = {
      "MPI_Abi_",  "MPI_Abort", "MPI_Add_error_",    "MPI_Errhandler_free", "MPI_Error_",
      "MPI_Info_", "MPI_Init",  "MPI_Remove_error_", "MPI_Session_",        "MPI_T_"};
  const char *name = mpipp_procedure_names[procedure];
  for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return 1;
  }
  return 0;
}

// Checks that the thread that initialized MPI makes the call. With MPI_THREAD_SINGLE the process
// must have no other thread, so a parallel region of OpenMP is a violation.
static void check_main(const struct mpipp_thread *thread, struct mpipp_breach *breach) {
  int is_main = thread == initializer && thread->serial == main_call.other_thread;
  if (is_main && !(in_parallel_region && in_parallel_region())) return;
  breach->state = MPIPP_BREACH_CERTAIN;
  breach->other_tid = main_call.other_tid;
  breach->other_procedure = main_call.other_procedure;
  breach->other_caller = main_call.other_caller;
  if (mpipp_intercept_add_violation(breach) && breach->tid != breach->other_tid)
    mpipp_recorder_distrust_ordinals();
}

// Checks that no other thread is inside MPI. A thread may have left its call by a jump, although
// its record still shows the call. The violation is certain only when the other call has returned.
static void check_concurrency(struct mpipp_thread *thread, struct mpipp_breach *breach) {
  thread->call.procedure = breach->procedure;
  __atomic_store_n(&thread->depth, 1, __ATOMIC_SEQ_CST);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (struct mpipp_thread *other = NULL; (other = mpipp_recorder_next_thread(thread, other));) {
    uint64_t serial = MPIPP_READ(other->call.serial);
    if (!MPIPP_READ(other->depth) || is_always_allowed(MPIPP_READ(other->call.procedure))) continue;
    if (mpipp_intercept_add_concurrent(breach, other, serial)) mpipp_recorder_distrust_ordinals();
  }
}

void mpipp_intercept_check_level(struct mpipp_thread *thread, unsigned procedure, uint64_t caller) {
  mpipp_intercept_confirm_violations(thread);
  if (level == MPIPP_THREAD_MULTIPLE) {
    thread->watched = 0; // it was set to confirm a violation
    return;
  }
  if (mpipp_registry.status != MPIPP_STATUS_STARTED || is_always_allowed(procedure)) return;
  uint64_t outside = mpipp_outside_mpi(caller);
  if (mpipp_intercept_is_thread_of_mpi(caller, outside)) return;
  struct mpipp_breach breach = {
      .level = level, .procedure = procedure, .tid = thread->tid, .caller = outside};
  if (level == MPIPP_THREAD_SERIALIZED)
    check_concurrency(thread, &breach);
  else
    check_main(thread, &breach);
}
