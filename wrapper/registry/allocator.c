// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "registry/allocator.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "registry/registry.h"
#include "registry/shared_arena.h"

// The lock: the address of the holder's thread-local mark; NULL: free. The lock is taken for every
// datatype that is created or freed, usually for a few dozen instructions, and costs a third of a
// mutex. A thread may hold it longer while it waits for the watcher.
static void *lock = NULL;
enum { YIELDS = 1000 };
static __thread char mark __attribute__((tls_model("initial-exec")));

// nanosleep() would be a cancellation point.
static void sleep_a_moment(void) {
  int saved = errno;
  syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = 100000}, NULL);
  errno = saved;
}

void mpipp_registry_lock(void) {
  void *nobody = NULL;
  int tries = 0;
  while (!__atomic_compare_exchange_n(&lock, &nobody, (void *)&mark, 0, __ATOMIC_ACQUIRE,
                                      __ATOMIC_RELAXED)) {
    nobody = NULL;
    if (tries++ < YIELDS)
      sched_yield();
    else // the holder may wait for the watcher
      sleep_a_moment();
  }
}
void mpipp_registry_unlock(void) {
  __atomic_store_n(&lock, NULL, __ATOMIC_RELEASE);
}
int mpipp_registry_has_lock(void) {
  return __atomic_load_n(&lock, __ATOMIC_ACQUIRE) == &mark;
}
int mpipp_registry_lock_slow(void) {
  if (mpipp_registry_has_lock()) return 0;
  mpipp_registry_lock();
  return 1;
}

void mpipp_registry_count_loss(void) {
  __atomic_fetch_add(&mpipp_registry.dropped, 1, __ATOMIC_RELAXED);
}

static void *from_arena(void *(*take)(uint64_t), uint64_t bytes) {
  int locked = mpipp_registry_lock_slow();
  void *memory = take(bytes);
  if (locked) mpipp_registry_unlock();
  return memory;
}

void *mpipp_registry_map(uint64_t bytes) {
  int saved = errno;
  void *memory = mpipp_registry_is_shared ? from_arena(mpipp_registry_arena_map, bytes) : NULL;
  if (memory) return memory;
  memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  errno = saved;
  return memory == MAP_FAILED ? NULL : memory;
}

void *mpipp_registry_allocate(uint64_t bytes) {
  int saved = errno;
  void *memory = mpipp_registry_is_shared ? from_arena(mpipp_registry_arena_allocate, bytes) : NULL;
  if (!memory) memory = malloc(bytes);
  if (!memory) mpipp_registry_count_loss();
  errno = saved;
  return memory;
}

void mpipp_registry_free(void *memory) {
  if (!mpipp_registry_is_shared || !mpipp_registry_arena_has(memory)) {
    free(memory);
    return;
  }
  int locked = mpipp_registry_lock_slow();
  mpipp_registry_arena_free(memory);
  if (locked) mpipp_registry_unlock();
}

void mpipp_registry_release(uint64_t *field) {
  if (!*field) return;
  mpipp_registry_free((void *)(uintptr_t)*field);
  *field = 0;
}

uint64_t mpipp_registry_copy_text(const char *text) {
  uint64_t bytes = text ? strlen(text) + 1 : 0;
  char *copy = text ? mpipp_registry_allocate(bytes) : NULL;
  if (copy) memcpy(copy, text, bytes);
  return (uint64_t)(uintptr_t)copy;
}
