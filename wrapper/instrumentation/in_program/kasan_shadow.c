// SPDX-License-Identifier: MIT
// Linked to everything that GCC links for `mpipp cc`. Code of -fsanitize=kernel-address uses the
// shadow from the first instruction on, with or without the wrapper: a function with arrays marks
// its frame there. That code refers to no symbol, so the shadow must be mapped early.
#include <unistd.h>

#include "instrumentation/in_program/interface.h"

#define HIDDEN __attribute__((visibility("hidden")))
#define NEXT ((uint64_t)(uintptr_t)__builtin_return_address(0))

extern struct mpipp_program mpipp_program HIDDEN;
int mpipp_program_map(void) HIDDEN;
void mpipp_need_shadow(void);

__attribute__((constructor(101))) HIDDEN void mpipp_need_shadow(void) {
  static const char why[] =
      "mpipp: this program was compiled by mpipp with GCC, and has no 16 TB of "
      "addresses: run it without a limit of virtual memory (ulimit -v), or "
      "compile it without mpipp\n";
  static int done;
  if (done) return;
  done = 1;
  if (mpipp_program_map()) return;
  _exit(write(2, why, sizeof why - 1) < 0 ? 126 : 127);
}

#ifdef MPIPP_EXECUTABLE
// Runs before the constructors of the program's libraries.
__attribute__((section(".preinit_array"),
               used)) static void (*const first)(void) = mpipp_need_shadow;
#endif

static inline __attribute__((always_inline)) void report(const void *address, uint64_t bytes,
                                                         int stores, uint64_t next) {
  uint64_t at = (uint64_t)(uintptr_t)address;
  if (mpipp_program.accesses) mpipp_program.accesses(at, bytes, stores, next);
}

// The marks of a byte in the shadow. If an exception or longjmp has left a frame, GCC's own values
// around its variables remain. Each of them causes one needless check.
static inline __attribute__((always_inline)) int marks(uint64_t at) {
  unsigned char *shadow = (unsigned char *)(at >> MPIPP_SHADOW_SHIFT) + MPIPP_SHADOW_AT;
  unsigned char was = *shadow;
  int found = mpipp_marks(was);
  if (was && !found)
    __atomic_compare_exchange_n(shadow, &was, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return found;
}

// Checks an access whose shadow has marks. Loads of a buffer that MPI only reads are valid, and
// frequent.
static inline __attribute__((always_inline)) void check_marks(const void *address, uint64_t bytes,
                                                              int stores, uint64_t next) {
  uint64_t at = (uint64_t)(uintptr_t)address;
  int here = marks(at);
  if (bytes > 8) here |= marks(at + 8);
  if (here & (stores ? MPIPP_SHADOW_STORES : MPIPP_SHADOW_LOADS))
    report(address, bytes, stores, next);
}

// For an access of any size, GCC tests the first byte and the last one.
static inline __attribute__((always_inline)) void check_any(const void *address, uint64_t bytes,
                                                            int stores, uint64_t next) {
  uint64_t at = (uint64_t)(uintptr_t)address;
  marks(at);
  marks(at + bytes - 1);
  report(address, bytes, stores, next);
}

#define OF_SIZE(BYTES)                                                                             \
  HIDDEN void __asan_report_load##BYTES##_noabort(const void *address) {                           \
    check_marks(address, BYTES, 0, NEXT);                                                          \
  }                                                                                                \
  HIDDEN void __asan_report_store##BYTES##_noabort(const void *address) {                          \
    check_marks(address, BYTES, 1, NEXT);                                                          \
  }                                                                                                \
  HIDDEN void __asan_load##BYTES##_noabort(const void *address) {                                  \
    check_marks(address, BYTES, 0, NEXT);                                                          \
  }                                                                                                \
  HIDDEN void __asan_store##BYTES##_noabort(const void *address) {                                 \
    check_marks(address, BYTES, 1, NEXT);                                                          \
  }
#define OF_ANY(NAME, STORES)                                                                       \
  HIDDEN void NAME(const void *address, uint64_t bytes) {                                          \
    check_any(address, bytes, STORES, NEXT);                                                       \
  }
OF_SIZE(1)
OF_SIZE(2)
OF_SIZE(4)
OF_SIZE(8)
OF_SIZE(16)
OF_ANY(__asan_report_load_n_noabort, 0)
OF_ANY(__asan_report_store_n_noabort, 1)
OF_ANY(__asan_loadN_noabort, 0)
OF_ANY(__asan_storeN_noabort, 1)

// Functions that GCC's code needs, and that do nothing here.
HIDDEN void __asan_handle_no_return(void) {}
HIDDEN void __asan_poison_stack_memory(uint64_t at __attribute__((unused)),
                                       uint64_t bytes __attribute__((unused))) {}
HIDDEN void __asan_unpoison_stack_memory(uint64_t at __attribute__((unused)),
                                         uint64_t bytes __attribute__((unused))) {}
HIDDEN void __asan_before_dynamic_init(const char *module __attribute__((unused))) {}
HIDDEN void __asan_after_dynamic_init(void) {}
