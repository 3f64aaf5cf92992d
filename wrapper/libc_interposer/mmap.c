// SPDX-License-Identifier: MIT
// The functions by which the program returns memory to the system. MPI libraries find these by
// name, and patch their first instructions; they must find those of the C library. So the functions
// here have the C library's symbol version, and are hidden from look-ups without a version. Only
// the program's own calls come here, and continue to the functions that MPI has patched.
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>

#include "libc_interposer/syscall_ranges.h"

#ifdef __x86_64__ // the symbol version below exists only on this processor
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_DONTNEED_LOCKED
#define MADV_DONTNEED_LOCKED 24
#endif

// Functions of the wrapper, which are missing in programs without it.
extern void mpipp_guard_report_free(uint64_t start, uint64_t bytes, uint64_t caller)
    __attribute__((weak));
extern int mpipp_guards_buffers __attribute__((weak));
extern void mpipp_system_note_release(uint64_t start, uint64_t bytes) __attribute__((weak));
extern void mpipp_system_note_mapping(uint64_t start, uint64_t bytes, uint64_t caller)
    __attribute__((weak));
extern void mpipp_system_note_advice(uint64_t start, uint64_t bytes) __attribute__((weak));
extern void mpipp_system_note_protection(uint64_t start, uint64_t bytes) __attribute__((weak));
extern void mpipp_system_note_lock(uint64_t start, uint64_t bytes) __attribute__((weak));

// NAME@VERSION: a default version (@@) would be found by look-ups without a version.
#define HIDDEN(NAME) __asm__(".symver mpipp_" #NAME "_first, " #NAME "@GLIBC_2.2.5")
HIDDEN(mmap);
HIDDEN(mmap64);
HIDDEN(munmap);
HIDDEN(mremap);
HIDDEN(madvise);
#define EXPORTED __attribute__((visibility("default")))
EXPORTED void *mpipp_mmap_first(void *at, size_t bytes, int may, int flags, int file, off_t offset);
EXPORTED void *mpipp_mmap64_first(void *at, size_t bytes, int may, int flags, int file,
                                  off_t offset);
EXPORTED int mpipp_munmap_first(void *at, size_t bytes);
EXPORTED void *mpipp_mremap_first(void *at, size_t before, size_t bytes, int flags, ...);
EXPORTED int mpipp_madvise_first(void *at, size_t bytes, int advice);

static void *(*mmap_next)(void *, size_t, int, int, int, off_t);
static int (*munmap_next)(void *, size_t);
static void *(*mremap_next)(void *, size_t, size_t, int, ...);
static int (*madvise_next)(void *, size_t, int);

__attribute__((constructor)) static void find(void) {
  if (madvise_next) return;
  *(void **)&mmap_next = dlsym(RTLD_NEXT, "mmap");
  *(void **)&munmap_next = dlsym(RTLD_NEXT, "munmap");
  *(void **)&mremap_next = dlsym(RTLD_NEXT, "mremap");
  *(void **)&madvise_next = dlsym(RTLD_NEXT, "madvise");
}

static int is_guarded(void) {
  return &mpipp_guards_buffers && __atomic_load_n(&mpipp_guards_buffers, __ATOMIC_RELAXED);
}

// Reports freed memory, unless the system would refuse the call.
static void report(uint64_t start, size_t bytes, void *caller) {
  if (is_guarded() && bytes && start % (uint64_t)sysconf(_SC_PAGESIZE) == 0)
    mpipp_guard_report_free(start, bytes, (uint64_t)(uintptr_t)caller);
}

// The mapping replaces memory at the same address, which counts as freed.
static void report_mapping(const void *at, size_t bytes, void *caller) {
  uint64_t start = (uint64_t)(uintptr_t)at;
  if (is_guarded() && bytes && start % (uint64_t)sysconf(_SC_PAGESIZE) == 0)
    mpipp_system_note_mapping(start, bytes, (uint64_t)(uintptr_t)caller);
}

// An allocator may call this before the constructors have run.
static void *map(void *at, size_t bytes, int may, int flags, int file, off_t offset, void *caller) {
  if (flags & MAP_FIXED) report_mapping(at, bytes, caller);
  void *now = mmap_next ? mmap_next(at, bytes, may, flags, file, offset)
                        : (void *)syscall(SYS_mmap, at, bytes, may, flags, file, offset);
  if (flags & MAP_FIXED && now != MAP_FAILED && is_guarded())
    mpipp_system_note_release((uint64_t)(uintptr_t)at, bytes);
  return now;
}

void *mpipp_mmap_first(void *at, size_t bytes, int may, int flags, int file, off_t offset) {
  return map(at, bytes, may, flags, file, offset, __builtin_return_address(0));
}

void *mpipp_mmap64_first(void *at, size_t bytes, int may, int flags, int file, off_t offset) {
  return map(at, bytes, may, flags, file, offset, __builtin_return_address(0));
}

int mpipp_munmap_first(void *at, size_t bytes) {
  find();
  report((uint64_t)(uintptr_t)at, bytes, __builtin_return_address(0));
  int result = munmap_next(at, bytes);
  if (is_guarded()) mpipp_system_note_release((uint64_t)(uintptr_t)at, bytes);
  return result;
}

// Only the result shows whether the mapping has moved. Pages of the guard's file must stay at their
// addresses.
void *mpipp_mremap_first(void *at, size_t before, size_t bytes, int flags, ...) {
  va_list more;
  va_start(more, flags);
  void *to = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
  va_end(more);
  find();
  if (is_guarded()) mpipp_system_note_advice((uint64_t)(uintptr_t)at, before);
  void *caller = __builtin_return_address(0);
  if (to) report_mapping(to, bytes, caller);
  void *now = mremap_next(at, before, bytes, flags, to);
  uint64_t start = (uint64_t)(uintptr_t)at;
  if (now == MAP_FAILED) return now;
  if (now != at)
    report(start, before, caller);
  else if (bytes < before)
    report(start + bytes, before - bytes, caller);
  return now;
}

static int is_about_its_kind(int advice) {
  switch (advice) {
  case MADV_DONTNEED:
  case MADV_DONTNEED_LOCKED:
  case MADV_FREE:
  case MADV_REMOVE:
  case MADV_WIPEONFORK:
  case MADV_KEEPONFORK:
    return 1;
  default:
    return 0;
  }
}

// Notes a call of madvise before it takes effect. Advice about the program's children is lost when
// pages are exchanged.
void mpipp_note_advice(uint64_t start, uint64_t bytes, int advice) {
  if (!is_guarded()) return;
  if (is_about_its_kind(advice)) mpipp_system_note_advice(start, bytes);
  if (advice == MADV_DONTFORK || advice == MADV_WIPEONFORK) mpipp_system_note_lock(start, bytes);
}

int mpipp_madvise_first(void *at, size_t bytes, int advice) {
  find();
  mpipp_note_advice((uint64_t)(uintptr_t)at, bytes, advice);
  return madvise_next(at, bytes, advice);
}

// MPI libraries do not patch the following functions.
EXPORTED int mlock(const void *at, size_t bytes) {
  if (is_guarded()) mpipp_system_note_lock((uint64_t)(uintptr_t)at, bytes);
  return (int)syscall(SYS_mlock, at, bytes);
}

EXPORTED int mlock2(const void *at, size_t bytes, unsigned flags) {
  if (is_guarded()) mpipp_system_note_lock((uint64_t)(uintptr_t)at, bytes);
  return (int)syscall(SYS_mlock2, at, bytes, flags);
}

EXPORTED int mprotect(void *at, size_t bytes, int may) {
  if (is_guarded()) mpipp_system_note_protection((uint64_t)(uintptr_t)at, bytes);
  return (int)syscall(SYS_mprotect, at, bytes, may);
}

// Without a key this is mprotect, also on systems without pkey_mprotect.
EXPORTED int pkey_mprotect(void *at, size_t bytes, int may, int key) {
  if (key == -1) return mprotect(at, bytes, may);
  if (is_guarded()) mpipp_system_note_protection((uint64_t)(uintptr_t)at, bytes);
  return (int)syscall(SYS_pkey_mprotect, at, bytes, may, key);
}

EXPORTED int mlockall(int flags) {
  if (is_guarded()) mpipp_system_note_lock(0, (uint64_t)PTRDIFF_MAX);
  return (int)syscall(SYS_mlockall, flags);
}
#endif
