// SPDX-License-Identifier: MIT
// The records of threads.
#define _GNU_SOURCE
#include "recorder/threads/threads.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "registry/object_store.h"
#include "registry/registry.h"
#include "registry/shared_arena.h"
#include "watcher_client/connection.h"

enum { THREADS_BYTES = 1 << 16, FIRST = 200 }; // FIRST: priority of the constructor
#define MOST_STACK ((uint64_t)1 << 36)

struct mpipp_thread mpipp_recorder_no_thread = {.depth = 1};
MPIPP_OFFER(mpipp_recorder_no_thread);
__thread struct mpipp_thread *mpipp_recorder_self __attribute__((tls_model("initial-exec"))) =
    &mpipp_recorder_no_thread;

struct mpipp_channel mpipp_recorder_no_channel = {.comm = ~(uint64_t)0};

static pthread_key_t thread_key;
static struct mpipp_chunk *last_chunk;

void mpipp_recorder_thread_init(struct mpipp_thread *thread) {
  for (int sequence = 0; sequence < MPIPP_KEPT_SEQUENCES; sequence++) {
    for (int i = 0; i < MPIPP_LAST_CHANNELS; i++)
      thread->channels[sequence][i] = (uint64_t)(uintptr_t)&mpipp_recorder_no_channel;
  }
  for (int i = 0; i < MPIPP_MAX_BUFFERS; i++)
    thread->known[i] = (uint64_t)(uintptr_t)&mpipp_registry_no_object;
}

// An id of the object that a polling call tests: a message, a window, or requests, which all count
// as one.
static uint64_t tested_object(const struct mpipp_call *call) {
  if (call->present & MPIPP_HAS_WIN) return call->win;
  if (!(call->present & MPIPP_HAS_SOURCE)) return 0;
  uint64_t message = (uint64_t)call->source << 32 ^ (uint64_t)call->tag;
  return (message * MPIPP_HASH ^ call->comm) | 1;
}

void mpipp_recorder_count_poll(struct mpipp_thread *thread) {
  uint64_t serial = thread->call.serial, sought = tested_object(&thread->call);
  if (!thread->polled || serial != thread->polled + 1) {
    MPIPP_WRITE(thread->polls_from, serial);
    MPIPP_WRITE(thread->polls_vary, 0);
  } else if (sought != thread->polls_for) {
    MPIPP_WRITE(thread->polls_vary, 1);
  }
  thread->polls_for = sought;
  MPIPP_WRITE(thread->polled, serial);
}

void (*mpipp_recorder_thread_ends)(struct mpipp_thread *thread);

static void end_thread(void *ended) {
  struct mpipp_thread *thread = ended;
  if (!thread->depth && mpipp_recorder_thread_ends) mpipp_recorder_thread_ends(thread);
  // If a destructor that runs later calls MPI, the thread gets a new record.
  mpipp_recorder_self = &mpipp_recorder_no_thread;
  __atomic_store_n(&thread->serial, 0, __ATOMIC_RELEASE);
}

void mpipp_recorder_open_threads(void) {
  pthread_key_create(&thread_key, end_thread);
}

// A record that no thread uses, or a new one. The caller holds the lock.
static struct mpipp_thread *free_record(void) {
  struct mpipp_table *table = mpipp_registry_thread_table();
  for (struct mpipp_chunk *chunk = (void *)(uintptr_t)table->chunks; chunk;
       chunk = (void *)(uintptr_t)chunk->next) {
    struct mpipp_thread *threads = (void *)(chunk + 1);
    for (uint64_t i = 0; i < chunk->used; i++) {
      if (MPIPP_READ(threads[i].serial) == 0) return &threads[i];
    }
  }
  if (!last_chunk || last_chunk->used == last_chunk->capacity) {
    struct mpipp_chunk *chunk = mpipp_registry_map(THREADS_BYTES);
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

// Finds the bounds of the thread's stack. If the stack has no limit (ulimit -s unlimited), the
// first thread's stack seems to begin at the end of the mapping below it. The mapping may be the
// heap, which grows towards the stack.
static void ask_stack(struct mpipp_thread *thread) {
  pthread_attr_t attributes;
  void *start = NULL;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes)) return;
  pthread_attr_getstack(&attributes, &start, &size);
  pthread_attr_destroy(&attributes);
  thread->stack_end = (uint64_t)(uintptr_t)start + size;
  thread->stack_start = thread->stack_end - (size < MOST_STACK ? size : MOST_STACK);
}

struct mpipp_thread *mpipp_recorder_next_thread(const struct mpipp_thread *thread,
                                                struct mpipp_thread *after) {
  int passed = after == NULL;
  for (struct mpipp_chunk *chunk = (void *)(uintptr_t)mpipp_registry_thread_table()->chunks; chunk;
       chunk = (void *)(uintptr_t)MPIPP_READ(chunk->next)) {
    struct mpipp_thread *threads = (void *)(chunk + 1);
    for (uint64_t i = 0; i < MPIPP_READ(chunk->used); i++) {
      if (passed && &threads[i] != thread && MPIPP_READ(threads[i].serial)) return &threads[i];
      passed |= &threads[i] == after;
    }
  }
  return NULL;
}

struct mpipp_thread *mpipp_recorder_find_thread(uint64_t serial) {
  for (struct mpipp_chunk *chunk = (void *)(uintptr_t)mpipp_registry_thread_table()->chunks; chunk;
       chunk = (void *)(uintptr_t)MPIPP_READ(chunk->next)) {
    struct mpipp_thread *threads = (void *)(chunk + 1);
    for (uint64_t i = 0; i < MPIPP_READ(chunk->used); i++)
      if (MPIPP_READ(threads[i].serial) == serial) return &threads[i];
  }
  return NULL;
}

struct mpipp_thread *mpipp_recorder_register_thread(void) {
  static uint64_t serials = 0;
  mpipp_registry_lock();
  struct mpipp_thread *thread = free_record();
  if (thread) {
    mpipp_count_calls(thread);
    mpipp_registry_release(&thread->shown);
    mpipp_registry_release(&thread->past_calls);
    memset(thread, 0, sizeof *thread);
    mpipp_recorder_thread_init(thread);
    thread->tid = (uint64_t)syscall(SYS_gettid);
    thread->self = (uint64_t)pthread_self();
    __atomic_store_n(&thread->serial, ++serials, __ATOMIC_RELEASE);
  }
  int others = mpipp_recorder_next_thread(thread, NULL) != NULL;
  mpipp_registry_unlock();
  if (thread && others) mpipp_registry_share();
  if (!thread) {
    mpipp_registry_count_loss();
    return NULL;
  }
  ask_stack(thread);
  pthread_setspecific(thread_key, thread);
  mpipp_recorder_self = thread;
  return thread;
}

static void drop_other_threads(void) {
  mpipp_watcher_after_fork_in_child();
  if (!mpipp_registry.self) return;
  mpipp_registry.pid = (uint64_t)getpid();
  struct mpipp_table *table = mpipp_registry_thread_table();
  for (struct mpipp_chunk *chunk = (void *)(uintptr_t)table->chunks; chunk;
       chunk = (void *)(uintptr_t)chunk->next) {
    struct mpipp_thread *threads = (void *)(chunk + 1);
    for (uint64_t i = 0; i < chunk->used; i++) {
      if (&threads[i] != mpipp_recorder_self)
        threads[i].serial = 0; // the other threads do not exist in the child
    }
  }
  if (mpipp_recorder_self != &mpipp_recorder_no_thread)
    mpipp_recorder_self->tid = (uint64_t)syscall(SYS_gettid);
}

// A signal handler that forks may have interrupted this thread while it holds the lock. After such
// a fork, the interrupted code continues in both processes, and releases the lock in each.
// `interrupted` counts such forks. `forks` counts this thread's active forks, the first of which
// makes the copies for all.
static __thread int interrupted __attribute__((tls_model("initial-exec")));
static __thread int forks __attribute__((tls_model("initial-exec")));

// Blocks signals: a signal handler must not fork while only some of the copies exist.
static void count_fork(int more) {
  sigset_t every, before;
  sigfillset(&every);
  pthread_sigmask(SIG_BLOCK, &every, &before);
  if (more > 0 && !forks) mpipp_registry_arena_before_fork();
  forks += more;
  if (more < 0 && !forks) mpipp_registry_arena_after_fork();
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void before_fork(void) {
  int held = mpipp_registry_has_lock();
  if (!held) mpipp_registry_lock();
  interrupted += held;
  count_fork(1);
}

static void after_fork(void) {
  count_fork(-1);
  if (interrupted)
    interrupted--;
  else
    mpipp_registry_unlock();
}

static void after_fork_in_child(void) {
  int is_outermost = !interrupted;
  mpipp_registry_arena_after_fork_in_child();
  after_fork();
  if (is_outermost)
    mpipp_end_unlocked(); // another thread had set the mark, and does not exist in
                          // the child
  drop_other_threads();
}

void mpipp_recorder_threads_before_fork(void) {
  before_fork();
}

void mpipp_recorder_threads_after_fork(int in_child) {
  if (in_child)
    after_fork_in_child();
  else
    after_fork();
}

// This constructor has a high priority, so that its fork handlers are registered first. So at a
// fork the locks of others are taken before the store's lock, which is their usual order.
__attribute__((constructor(FIRST))) static void guard_fork(void) {
  pthread_atfork(before_fork, after_fork, after_fork_in_child);
}
