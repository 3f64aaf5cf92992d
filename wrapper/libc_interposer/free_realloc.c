// SPDX-License-Identifier: MIT
// A separate library, which is loaded beside the wrapper if buffers are guarded, or one-sided
// operations logged. It reports each freed block of memory to the wrapper. In other runs it is not
// loaded, so free is unchanged.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

// Functions of the wrapper's parts, and variables that show whether a part needs reports now. Each
// function may be missing, because a run loads only the parts that it needs.
extern void mpipp_guard_report_free(uint64_t start, uint64_t bytes, uint64_t caller)
    __attribute__((weak));
extern int mpipp_guards_buffers __attribute__((weak));
extern void mpipp_system_note_release(uint64_t start, uint64_t bytes) __attribute__((weak));
extern void mpipp_onesided_report_free(uint64_t start, uint64_t bytes, uint64_t caller)
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

// Finds the functions that this library replaces. The look-up functions may call free themselves.
static void look(void) {
  looks = 1;
  void *size = dlsym(RTLD_NEXT, "malloc_usable_size");
  *(void **)&realloc_next = dlsym(RTLD_NEXT, "realloc");
  void *next = dlsym(RTLD_NEXT, "free");
  // malloc_usable_size of another allocator would not fit these blocks.
  if (size && library_of(size) == library_of(next)) *(void **)&usable_size = size;
  __atomic_store_n((void **)&free_next, next, __ATOMIC_RELEASE);
  looks = 0;
}

static int is_ready(void) {
  if (__builtin_expect(!__atomic_load_n(&free_next, __ATOMIC_ACQUIRE), 0) && !looks) look();
  return free_next != NULL;
}

static inline int guards(void) {
  return &mpipp_guards_buffers && __atomic_load_n(&mpipp_guards_buffers, __ATOMIC_RELAXED);
}

static inline int pends(void) {
  return &mpipp_onesided_pends && __atomic_load_n(&mpipp_onesided_pends, __ATOMIC_RELAXED);
}

static inline int is_wanted(void) {
  return guards() || pends();
}

// Reports a block to the guard. Returns the block's size in bytes, 0 if it was not reported.
static uint64_t report(void *block, void *caller) {
  if (!block || !is_wanted()) return 0;
  uint64_t start = (uint64_t)(uintptr_t)block, from = (uint64_t)(uintptr_t)caller;
  uint64_t bytes = usable_size ? usable_size(block) : 1;
  int is_guarded = guards();
  if (is_guarded) mpipp_guard_report_free(start, bytes, from);
  if (pends()) mpipp_onesided_report_free(start, bytes, from);
  return is_guarded ? bytes : 0;
}

// Reports a large block after it was freed, because malloc may have returned its memory to the
// system.
static inline void report_release(uint64_t start, uint64_t bytes) {
  enum { LARGE = 1 << 17 };
  if (__builtin_expect(bytes >= LARGE, 0)) mpipp_system_note_release(start, bytes);
}

static __attribute__((noinline)) void free_slowly(void *block, void *caller) {
  if (!is_ready()) return; // during the look-up, a few bytes are never freed
  uint64_t start = (uint64_t)(uintptr_t)block, bytes = report(block, caller);
  free_next(block);
  report_release(start, bytes);
}

// MPI itself calls free often, so calls that no part needs to know of continue immediately.
void mpipp_free_first(void *block) {
  void (*next)(void *) = __atomic_load_n(&free_next, __ATOMIC_ACQUIRE);
  if (__builtin_expect(next && !is_wanted(), 1))
    next(block);
  else
    free_slowly(block, __builtin_return_address(0));
}

void *mpipp_realloc_first(void *block, size_t bytes) {
  if (!is_ready()) return NULL;
  uint64_t start = (uint64_t)(uintptr_t)block, before = report(block, __builtin_return_address(0));
  void *now = realloc_next(block, bytes);
  report_release(start, before);
  return now;
}
