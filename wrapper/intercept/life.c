// SPDX-License-Identifier: MIT
// Start and end of the recording: the process, its threads, MPI's initialisation and finalisation.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "intercept/intercept.h"
#include "intercept/levels.h"
#include "recorders/channels.h"
#include "watch/connection.h"

enum { THREADS_BYTES = 1 << 16 };

struct mpipp_thread mpipp_no_thread = {.depth = 1};
__thread struct mpipp_thread *mpipp_self __attribute__((tls_model("initial-exec"))) =
    &mpipp_no_thread;

struct mpipp_table *mpipp_thread_table(void);
void mpipp_add_constant(const char *name, int64_t value);

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static pthread_key_t thread_key;
static struct mpipp_chunk *last_chunk;

static void thread_over(void *thread) {
  mpipp_self = &mpipp_no_thread; // a call from a destructor that runs after this one starts anew
  __atomic_store_n(&((struct mpipp_thread *)thread)->serial, 0, __ATOMIC_RELEASE);
}

static void open_registry(void) {
  int saved = errno;
  int right = mpipp_right_library();
  if (right) {
    pthread_key_create(&thread_key, thread_over);
    mpipp_resolve_all();
  } else {
    mpipp_registry.status = MPIPP_STATUS_INERT;
  }
  mpipp_registry_open();
  if (right && mpipp_shared) mpipp_watch_connect();
  mpipp_find_mpi_code(); // in either case: readers shall see the status
  errno = saved;
}

// With the lock held: a record no thread uses, else a new one.
static struct mpipp_thread *free_record(void) {
  struct mpipp_table *table = mpipp_thread_table();
  for (struct mpipp_chunk *chunk = (void *)(uintptr_t)table->chunks; chunk;
       chunk = (void *)(uintptr_t)chunk->next) {
    struct mpipp_thread *threads = (void *)(chunk + 1);
    for (uint64_t i = 0; i < chunk->used; i++) {
      if (MPIPP_READ(threads[i].serial) == 0) return &threads[i];
    }
  }
  if (!last_chunk || last_chunk->used == last_chunk->capacity) {
    struct mpipp_chunk *chunk = mpipp_map(THREADS_BYTES);
    if (!chunk) return NULL;
    chunk->capacity = (THREADS_BYTES - sizeof *chunk) / sizeof(struct mpipp_thread);
    uint64_t *link = last_chunk ? &last_chunk->next : &table->chunks;
    __atomic_store_n(link, (uint64_t)(uintptr_t)chunk, __ATOMIC_RELEASE);
    last_chunk = chunk;
  }
  struct mpipp_thread *thread = (struct mpipp_thread *)(last_chunk + 1) + last_chunk->used;
  last_chunk->used++;
  table->count++;
  return thread;
}

static void ask_stack(struct mpipp_thread *thread) {
  pthread_attr_t attributes;
  void *start = NULL;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes)) return;
  pthread_attr_getstack(&attributes, &start, &size);
  pthread_attr_destroy(&attributes);
  thread->stack_start = (uint64_t)(uintptr_t)start;
  thread->stack_end = thread->stack_start + size;
}

struct mpipp_thread *mpipp_other_thread(const struct mpipp_thread *thread,
                                        struct mpipp_thread *after) {
  int passed = after == NULL;
  for (struct mpipp_chunk *chunk = (void *)(uintptr_t)mpipp_thread_table()->chunks; chunk;
       chunk = (void *)(uintptr_t)MPIPP_READ(chunk->next)) {
    struct mpipp_thread *threads = (void *)(chunk + 1);
    for (uint64_t i = 0; i < MPIPP_READ(chunk->used); i++) {
      if (passed && &threads[i] != thread && MPIPP_READ(threads[i].serial)) return &threads[i];
      passed |= &threads[i] == after;
    }
  }
  return NULL;
}

static struct mpipp_thread *register_thread(void) {
  static uint64_t serials = 0;
  mpipp_lock();
  struct mpipp_thread *thread = free_record();
  if (thread) {
    mpipp_count_calls(thread);
    memset(thread, 0, sizeof *thread);
    mpipp_thread_init(thread);
    thread->tid = (uint64_t)syscall(SYS_gettid);
    thread->self = (uint64_t)pthread_self();
    __atomic_store_n(&thread->serial, ++serials, __ATOMIC_RELEASE);
  }
  int others = mpipp_other_thread(thread, NULL) != NULL;
  mpipp_unlock();
  if (thread && others) mpipp_share();
  if (thread) mpipp_watch(thread);
  if (!thread) {
    mpipp_dropped();
    return NULL;
  }
  ask_stack(thread);
  pthread_setspecific(thread_key, thread);
  return thread;
}

static int starting(void) {
  int flag = 0, finalized = 0;
  PMPI(Initialized)(&flag);
  if (flag) PMPI(Finalized)(&finalized);
  return flag && !finalized;
}

struct mpipp_thread *mpipp_thread_new(void) {
  pthread_once(&opened, open_registry);
  if (mpipp_registry.status == MPIPP_STATUS_INERT) return NULL;
  int saved = errno;
  struct mpipp_thread *thread = register_thread();
  if (thread) mpipp_self = thread;
  if (thread && mpipp_registry.status == MPIPP_STATUS_LOADED) {
    thread->depth = 1;
    if (starting()) { // MPI was initialised before this library was there
      mpipp_channels_late();
      mpipp_initialized();
    }
    thread->depth = 0;
  }
  errno = saved;
  return thread;
}

void mpipp_forked(void) {
  mpipp_watch_forked();
  if (!mpipp_registry.self) return;
  mpipp_registry.pid = (uint64_t)getpid();
  struct mpipp_table *table = mpipp_thread_table();
  for (struct mpipp_chunk *chunk = (void *)(uintptr_t)table->chunks; chunk;
       chunk = (void *)(uintptr_t)chunk->next) {
    struct mpipp_thread *threads = (void *)(chunk + 1);
    for (uint64_t i = 0; i < chunk->used; i++) {
      if (&threads[i] != mpipp_self) threads[i].serial = 0; // those threads are not in the child
    }
  }
  if (mpipp_self != &mpipp_no_thread) mpipp_self->tid = (uint64_t)syscall(SYS_gettid);
}

static void constant(enum mpipp_kind kind, uint64_t handle, const char *name, unsigned flag) {
  mpipp_constant_made(kind, handle, name, flag);
  mpipp_set_constant_fint(kind, handle);
}

static void start_predefined(void) {
#define DATATYPE(NAME) mpipp_datatype_predefined(NAME, #NAME);
#define HANDLE(KIND, NAME) constant(KIND, MPIPP_KEY(NAME), #NAME, MPIPP_FLAG_PREDEFINED);
#define NULL_HANDLE(KIND, NAME) constant(KIND, MPIPP_KEY(NAME), #NAME, MPIPP_FLAG_NULL);
#define VALUE(NAME) mpipp_add_constant(#NAME, (int64_t)(intptr_t)NAME);
#include "generated/constants.inc"
}

static void ask_tag_ub(void) {
  int *upper_bound = NULL, flag = 0;
  PMPI(Comm_get_attr)(MPI_COMM_WORLD, MPI_TAG_UB, &upper_bound, &flag);
  if (flag && upper_bound) mpipp_registry.tag_ub = *upper_bound;
}

int mpipp_is_again(unsigned procedure) {
  if (procedure == MPIPP_PROC_Finalize) return mpipp_registry.status == MPIPP_STATUS_FINALIZED;
  return mpipp_registry.world_rank >= 0;
}

void mpipp_initialized(void) {
  static int started = 0;
  int saved = errno;
  unsigned procedure = mpipp_self->call.procedure;
  mpipp_ask_thread_level();
  if (procedure == MPIPP_PROC_Init || procedure == MPIPP_PROC_Init_thread)
    mpipp_registry.main_thread = mpipp_self->tid;
  if (!__atomic_exchange_n(&started, 1, __ATOMIC_ACQ_REL)) {
    start_predefined();
    int length;
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    PMPI(Get_library_version)(version, &length);
    memcpy(mpipp_registry.library_version, version, sizeof mpipp_registry.library_version - 1);
    int standard = 0, minor = 0;
    PMPI(Get_version)(&standard, &minor);
    mpipp_registry.standard = (uint32_t)standard;
    mpipp_registry.standard_minor = (uint32_t)minor;
  }
  if (mpipp_registry.world_rank < 0) {
    mpipp_comm_start();
    if (mpipp_registry.world_rank >= 0) ask_tag_ub();
  }
  mpipp_registry.status = MPIPP_STATUS_STARTED;
  if (procedure == MPIPP_PROC_Init || procedure == MPIPP_PROC_Init_thread) mpipp_await_end();
  mpipp_watch_meet();
  errno = saved;
}

void mpipp_finalized(void) {
  mpipp_registry.end_awaited = 0;
  mpipp_registry.status = MPIPP_STATUS_FINALIZED;
  mpipp_watch_over(MPIPP_OVER_FINALIZED);
}

void mpipp_aborting(struct mpipp_call *call) {
  __atomic_store_n(&call->state, MPIPP_CALL_ACTIVE, __ATOMIC_RELEASE);
  mpipp_watch_over(MPIPP_OVER_ABORTING);
}
