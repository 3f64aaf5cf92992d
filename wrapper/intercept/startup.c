// SPDX-License-Identifier: MIT
// Start and end of the recording: for the process at its first MPI call, for MPI at its
// initialization and its end.
#include "intercept/startup.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "abi/library_version.h"
#include "call_filter/caches/call_cache.h"
#include "call_filter/unrecorded_calls.h"
#include "intercept/finalize.h"
#include "intercept/thread_levels.h"
#include "recorder/ledger/timestamps.h"
#include "recorder/recorder.h"
#include "registry/object_store.h"
#include "registry/registry.h"
#include "watcher_client/connection.h"
#include "watcher_client/queries.h"

static pthread_once_t opened = PTHREAD_ONCE_INIT;

static void open_parts(void) {
  int saved = errno;
  mpipp_open();
  errno = saved;
}

static int starting(void) {
  int flag = 0, finalized = 0;
  PMPI(Initialized)(&flag);
  if (flag) PMPI(Finalized)(&finalized);
  return flag && !finalized;
}

struct mpipp_thread *mpipp_intercept_thread_new(void) {
  pthread_once(&opened, open_parts);
  if (mpipp_registry.status == MPIPP_STATUS_INERT) return NULL;
  int saved = errno;
  struct mpipp_thread *thread = mpipp_recorder_register_thread();
  if (thread) mpipp_intercept_watch(thread);
  if (thread && mpipp_registry.status == MPIPP_STATUS_LOADED) {
    thread->depth = 1;
    if (starting()) { // MPI was initialized before this library was loaded
      mpipp_recorder_distrust_channels();
      mpipp_recorder_distrust_attachments();
      mpipp_registry.unseen = 1;
      mpipp_intercept_after_init();
    }
    thread->depth = 0;
  }
  errno = saved;
  return thread;
}

static void add_constant(enum mpipp_kind kind, uint64_t handle, const char *name, unsigned flag) {
  mpipp_recorder_add_constant(kind, handle, name, flag);
  mpipp_recorder_set_constant_fint(kind, handle);
}

static void start_predefined(void) {
#define DATATYPE(NAME)                                                                             \
  if (mpipp_abi_has_datatype(NAME)) mpipp_recorder_add_predefined_datatype(NAME, #NAME);
#define HANDLE(KIND, NAME) add_constant(KIND, MPIPP_KEY(NAME), #NAME, MPIPP_FLAG_PREDEFINED);
#define NULL_HANDLE(KIND, NAME) add_constant(KIND, MPIPP_KEY(NAME), #NAME, MPIPP_FLAG_NULL);
#define VALUE(NAME) mpipp_registry_add_constant(#NAME, (int64_t)(intptr_t)NAME);
#include "generated/constants.inc"
}

static void ask_tag_ub(void) {
  int *upper_bound = NULL, flag = 0;
  PMPI(Comm_get_attr)(MPI_COMM_WORLD, MPI_TAG_UB, &upper_bound, &flag);
  if (flag && upper_bound) mpipp_registry.tag_ub = *upper_bound;
}

int mpipp_intercept_is_repeated_init(unsigned procedure) {
  if (procedure == MPIPP_PROC_Finalize) return mpipp_registry.status == MPIPP_STATUS_FINALIZED;
  return mpipp_recorder_has_world;
}

void (*mpipp_intercept_at_start)(void);

void mpipp_intercept_after_init(void) {
  static int started = 0;
  int saved = errno;
  unsigned procedure = mpipp_recorder_self->call.procedure;
  mpipp_intercept_ask_thread_level();
  if (procedure == MPIPP_PROC_Init || procedure == MPIPP_PROC_Init_thread)
    mpipp_registry.main_thread = mpipp_recorder_self->tid;
  if (!__atomic_exchange_n(&started, 1, __ATOMIC_ACQ_REL)) {
    start_predefined();
    int length;
    static char version[MPI_MAX_LIBRARY_VERSION_STRING]; // too large for small stacks
    PMPI(Get_library_version)(version, &length);
    memcpy(mpipp_registry.library_version, version, sizeof mpipp_registry.library_version - 1);
    int standard = 0, minor = 0;
    PMPI(Get_version)(&standard, &minor);
    mpipp_registry.standard = (uint32_t)standard;
    mpipp_registry.standard_minor = (uint32_t)minor;
    if (mpipp_intercept_at_start) mpipp_intercept_at_start();
  }
  if (!mpipp_recorder_has_world) {
    mpipp_recorder_comm_start();
    if (mpipp_recorder_has_world) ask_tag_ub();
  }
  if (!mpipp_registry.started_at) mpipp_registry.started_at = mpipp_recorder_now();
  mpipp_registry.status = MPIPP_STATUS_STARTED;
  if (procedure == MPIPP_PROC_Init || procedure == MPIPP_PROC_Init_thread)
    mpipp_intercept_await_end();
  mpipp_watcher_await_greeting();
  errno = saved;
}

#ifdef MPIPP_HAVE_Session_init
void mpipp_intercept_begin_session(uint64_t session, uint64_t info) {
  mpipp_intercept_session_level(session, info);
}
#endif

void (*mpipp_intercept_before_end)(void);
void (*mpipp_intercept_at_exit)(void);

static void report_end(enum mpipp_end end) {
  if (mpipp_intercept_before_end && end != MPIPP_OVER_FINALIZED) mpipp_intercept_before_end();
  mpipp_watcher_questions_flush();
  mpipp_watcher_report_end(end);
}

void mpipp_intercept_after_finalize(void) {
  mpipp_registry.end_awaited = 0;
  mpipp_registry.status = MPIPP_STATUS_FINALIZED;
  mpipp_filter_forget_objects();
  report_end(MPIPP_OVER_FINALIZED);
}

void mpipp_intercept_before_abort(struct mpipp_call *call) {
  __atomic_store_n(&call->state, MPIPP_CALL_ACTIVE, __ATOMIC_RELEASE);
  report_end(MPIPP_OVER_ABORTING);
}

void mpipp_intercept_check_late_exit(void) {
  if (mpipp_registry.status != MPIPP_STATUS_FINALIZED) return;
  if ((uint64_t)getpid() != mpipp_registry.pid || !mpipp_watcher_is_connected()) return;
  mpipp_filter_check_late_exit();
  mpipp_watcher_questions_flush();
}

// Called when the program has returned from main, or has called exit; not at _exit, or when a
// signal ends it.
__attribute__((destructor)) static void exiting(void) {
  mpipp_intercept_check_late_exit();
  if (!mpipp_watcher_is_connected()) return;
  if (mpipp_registry.status == MPIPP_STATUS_STARTED && !mpipp_recorder_has_world) {
    mpipp_intercept_after_finalize(); // a program that only uses sessions: those that still exist
                                      // are leaks
  } else if (mpipp_registry.status == MPIPP_STATUS_STARTED) {
    if (mpipp_intercept_at_exit) mpipp_intercept_at_exit();
    report_end(MPIPP_OVER_EXITING);
  }
  if ((uint64_t)getpid() == mpipp_registry.pid) mpipp_watcher_report_exit();
}
