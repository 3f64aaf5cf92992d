// SPDX-License-Identifier: MIT
// A library of its own, loaded beside the wrapper where buffers are guarded, or one-sided
// operations logged: it tells the wrapper of each block of memory that the program gives back. No
// other program has it in the way of free.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

// The wrapper's, and whether it wants to be told now; there are none in programs without it.
extern void mpipp_given_back(uint64_t start, uint64_t bytes, uint64_t caller) __attribute__((weak));
extern int mpipp_guards_buffers __attribute__((weak));
extern void mpipp_system_may_have(uint64_t start, uint64_t bytes) __attribute__((weak));
extern void mpipp_onesided_given_back(uint64_t start, uint64_t bytes, uint64_t caller)
    __attribute__((weak));
extern int mpipp_onesided_pends __attribute__((weak));

#define OVER(NAME) __asm__(NAME) __attribute__((visibility("default")))
void mpipp_free_first(void *block) OVER("free");
void *mpipp_realloc_first(void *block, size_t bytes) OVER("realloc");

static void (*free_next)(void *);
static void *(*realloc_next)(void *, size_t);
static size_t (*usable_size)(void *);
static __thread int looks __attribute__((tls_model("initial-exec")));

static void *library_of(const void *function) {
  Dl_info found;
  return function && dladdr(function, &found) ? found.dli_fbase : NULL;
}

// The functions that come after these. What it calls may free.
static void look(void) {
  looks = 1;
  void *size = dlsym(RTLD_NEXT, "malloc_usable_size");
  *(void **)&realloc_next = dlsym(RTLD_NEXT, "realloc");
  void *next = dlsym(RTLD_NEXT, "free");
  // That of another allocator makes no sense of these blocks.
  if (size && library_of(size) == library_of(next)) *(void **)&usable_size = size;
  __atomic_store_n((void **)&free_next, next, __ATOMIC_RELEASE);
  looks = 0;
}

static int is_ready(void) {
  if (__builtin_expect(!__atomic_load_n(&free_next, __ATOMIC_ACQUIRE), 0) && !looks) look();
  return free_next != NULL;
}

static uint64_t tell_further(void *block, void *caller, int guards, int pends) {
  uint64_t start = (uint64_t)(uintptr_t)block, from = (uint64_t)(uintptr_t)caller;
  uint64_t bytes = usable_size ? usable_size(block) : 1;
  if (guards) mpipp_given_back(start, bytes, from);
  if (pends) mpipp_onesided_given_back(start, bytes, from);
  return guards ? bytes : 0;
}

// MPI frees, too, in each of its calls. Returns how many bytes the guard is told of.
static inline uint64_t tell(void *block, void *caller) {
  if (!&mpipp_guards_buffers) return 0;
  int guards = __atomic_load_n(&mpipp_guards_buffers, __ATOMIC_RELAXED);
  int pends = __atomic_load_n(&mpipp_onesided_pends, __ATOMIC_RELAXED);
  if (__builtin_expect((guards | pends) == 0, 1) || !block) return 0;
  return tell_further(block, caller, guards, pends);
}

// Of large blocks, which malloc may have given back to the system by now.
static inline void tell_after(uint64_t start, uint64_t bytes) {
  enum { LARGE = 1 << 17 };
  if (__builtin_expect(bytes >= LARGE, 0)) mpipp_system_may_have(start, bytes);
}

void mpipp_free_first(void *block) {
  if (!is_ready()) return; // while it looks: a few bytes that are never freed
  uint64_t start = (uint64_t)(uintptr_t)block, bytes = tell(block, __builtin_return_address(0));
  free_next(block);
  tell_after(start, bytes);
}

void *mpipp_realloc_first(void *block, size_t bytes) {
  if (!is_ready()) return NULL;
  uint64_t start = (uint64_t)(uintptr_t)block, before = tell(block, __builtin_return_address(0));
  void *now = realloc_next(block, bytes);
  tell_after(start, before);
  return now;
}
