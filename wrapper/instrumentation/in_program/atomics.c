// SPDX-License-Identifier: MIT
// Atomic operations of the program. Atomic operations may order threads, so the wrapper learns of
// each. It takes every operation for a release and an acquire, with every memory order. Clang's
// code calls functions of its ThreadSanitizer, and GCC's those of libatomic, which the linker's
// --wrap replaces.
#define _GNU_SOURCE
#include <stddef.h>

#include "instrumentation/in_program/interface.h"

#define HIDDEN __attribute__((visibility("hidden")))

extern struct mpipp_program mpipp_program HIDDEN;

static inline __attribute__((always_inline)) void orders(const volatile void *address, int acquires,
                                                         const void *place) {
  void (*function)(const volatile void *, int, const void *) =
      __atomic_load_n(&mpipp_program.orders, __ATOMIC_RELAXED);
  if (__builtin_expect(function != NULL, 0)) function(address, acquires, place);
}
// GCC also checks the access itself. Clang leaves that to these functions.
#ifdef __clang__
extern struct mpipp_span mpipp_inlined_spans[MPIPP_SPANS] HIDDEN;
extern uint64_t mpipp_inlined_span_count HIDDEN;

static inline __attribute__((always_inline)) void
touches(const volatile void *address, uint64_t bytes, int stores, const void *place) {
  uint64_t low = (uint64_t)(uintptr_t)address;
  int is_checked = 0;
  for (uint64_t i = 0; i < mpipp_inlined_span_count; i++)
    is_checked |= low < mpipp_inlined_spans[i].high && low + bytes > mpipp_inlined_spans[i].low;
  if (is_checked && mpipp_program.accesses)
    mpipp_program.accesses(low, bytes, stores, (uint64_t)(uintptr_t)place);
}
#else
#define touches(ADDRESS, BYTES, STORES, PLACE) ((void)0)
#endif
#define LOADS touches(address, sizeof *address, 0, __builtin_return_address(0))
#define STORES touches(address, sizeof *address, 1, __builtin_return_address(0))
#define RELEASES orders(address, 0, __builtin_return_address(0))
#define ACQUIRES orders(address, 1, __builtin_return_address(0))
#define ORDER __ATOMIC_SEQ_CST

#ifdef __clang__
#define NAME(SIZE, BITS, WORD) __tsan_atomic##BITS##_##WORD
#else
#define NAME(SIZE, BITS, WORD) __wrap___atomic_##WORD##_##SIZE
#endif

#define CHANGE(SIZE, BITS, TYPE, WORD, BUILTIN)                                                    \
  HIDDEN TYPE NAME(SIZE, BITS, WORD)(volatile TYPE * address, TYPE value, int order);              \
  HIDDEN TYPE NAME(SIZE, BITS, WORD)(volatile TYPE * address, TYPE value, int order) {             \
    (void)order;                                                                                   \
    STORES;                                                                                        \
    RELEASES;                                                                                      \
    TYPE before = BUILTIN(address, value, ORDER);                                                  \
    ACQUIRES;                                                                                      \
    return before;                                                                                 \
  }

#define COMMON(SIZE, BITS, TYPE)                                                                   \
  HIDDEN TYPE NAME(SIZE, BITS, load)(const volatile TYPE *address, int order);                     \
  HIDDEN TYPE NAME(SIZE, BITS, load)(const volatile TYPE *address, int order) {                    \
    (void)order;                                                                                   \
    LOADS;                                                                                         \
    TYPE value = __atomic_load_n(address, ORDER);                                                  \
    ACQUIRES;                                                                                      \
    return value;                                                                                  \
  }                                                                                                \
  HIDDEN void NAME(SIZE, BITS, store)(volatile TYPE * address, TYPE value, int order);             \
  HIDDEN void NAME(SIZE, BITS, store)(volatile TYPE * address, TYPE value, int order) {            \
    (void)order;                                                                                   \
    STORES;                                                                                        \
    RELEASES;                                                                                      \
    __atomic_store_n(address, value, ORDER);                                                       \
  }                                                                                                \
  CHANGE(SIZE, BITS, TYPE, exchange, __atomic_exchange_n)                                          \
  CHANGE(SIZE, BITS, TYPE, fetch_add, __atomic_fetch_add)                                          \
  CHANGE(SIZE, BITS, TYPE, fetch_sub, __atomic_fetch_sub)                                          \
  CHANGE(SIZE, BITS, TYPE, fetch_and, __atomic_fetch_and)                                          \
  CHANGE(SIZE, BITS, TYPE, fetch_or, __atomic_fetch_or)                                            \
  CHANGE(SIZE, BITS, TYPE, fetch_xor, __atomic_fetch_xor)                                          \
  CHANGE(SIZE, BITS, TYPE, fetch_nand, __atomic_fetch_nand)                                        \
  static inline int exchanged_##BITS(volatile TYPE *address, TYPE *expected, TYPE wanted,          \
                                     const void *place) {                                          \
    touches(address, sizeof *address, 1, place);                                                   \
    orders(address, 0, place);                                                                     \
    int done = __atomic_compare_exchange_n(address, expected, wanted, 0, ORDER, ORDER);            \
    orders(address, 1, place);                                                                     \
    return done;                                                                                   \
  }

#ifdef __clang__
#define COMPARE(BITS, TYPE, WORD)                                                                  \
  HIDDEN int __tsan_atomic##BITS##_compare_exchange_##WORD(volatile TYPE *address, TYPE *expected, \
                                                           TYPE wanted, int order, int failed);    \
  HIDDEN int __tsan_atomic##BITS##_compare_exchange_##WORD(volatile TYPE *address, TYPE *expected, \
                                                           TYPE wanted, int order, int failed) {   \
    (void)order, (void)failed;                                                                     \
    return exchanged_##BITS(address, expected, wanted, __builtin_return_address(0));               \
  }
#define ALL(SIZE, BITS, TYPE)                                                                      \
  COMMON(SIZE, BITS, TYPE)                                                                         \
  COMPARE(BITS, TYPE, strong)                                                                      \
  COMPARE(BITS, TYPE, weak)                                                                        \
  HIDDEN TYPE __tsan_atomic##BITS##_compare_exchange_val(volatile TYPE *address, TYPE expected,    \
                                                         TYPE wanted, int order, int failed);      \
  HIDDEN TYPE __tsan_atomic##BITS##_compare_exchange_val(volatile TYPE *address, TYPE expected,    \
                                                         TYPE wanted, int order, int failed) {     \
    (void)order, (void)failed;                                                                     \
    exchanged_##BITS(address, &expected, wanted, __builtin_return_address(0));                     \
    return expected;                                                                               \
  }
HIDDEN void __tsan_atomic_thread_fence(int order);
HIDDEN void __tsan_atomic_thread_fence(int order) {
  (void)order;
  __atomic_thread_fence(ORDER);
}
HIDDEN void __tsan_atomic_signal_fence(int order);
HIDDEN void __tsan_atomic_signal_fence(int order) {
  (void)order;
  __atomic_signal_fence(ORDER);
}
#else
#define AFTER(SIZE, TYPE, WORD)                                                                    \
  HIDDEN TYPE __wrap___atomic_##WORD##_fetch_##SIZE(volatile TYPE *address, TYPE value,            \
                                                    int order);                                    \
  HIDDEN TYPE __wrap___atomic_##WORD##_fetch_##SIZE(volatile TYPE *address, TYPE value,            \
                                                    int order) {                                   \
    (void)order;                                                                                   \
    RELEASES;                                                                                      \
    TYPE now = __atomic_##WORD##_fetch(address, value, ORDER);                                     \
    ACQUIRES;                                                                                      \
    return now;                                                                                    \
  }
#define ALL(SIZE, BITS, TYPE)                                                                      \
  COMMON(SIZE, BITS, TYPE)                                                                         \
  AFTER(SIZE, TYPE, add)                                                                           \
  AFTER(SIZE, TYPE, sub)                                                                           \
  AFTER(SIZE, TYPE, and)                                                                           \
  AFTER(SIZE, TYPE, or)                                                                            \
  AFTER(SIZE, TYPE, xor)                                                                           \
  AFTER(SIZE, TYPE, nand)                                                                          \
  HIDDEN _Bool __wrap___atomic_compare_exchange_##SIZE(volatile TYPE *address, void *expected,     \
                                                       TYPE wanted, int order, int failed);        \
  HIDDEN _Bool __wrap___atomic_compare_exchange_##SIZE(volatile TYPE *address, void *expected,     \
                                                       TYPE wanted, int order, int failed) {       \
    (void)order, (void)failed;                                                                     \
    return exchanged_##BITS(address, expected, wanted, __builtin_return_address(0)) != 0;          \
  }
HIDDEN _Bool __wrap___atomic_is_lock_free(size_t size, const volatile void *address);
HIDDEN _Bool __wrap___atomic_is_lock_free(size_t size, const volatile void *address) {
  (void)address;
  return size <= 8 && (size & (size - 1)) == 0;
}
// atomics.h replaces the compiler's function of this name, which is always inlined.
HIDDEN _Bool mpipp_atomic_test_and_set(volatile void *address, int order);
HIDDEN _Bool mpipp_atomic_test_and_set(volatile void *address, int order) {
  (void)order;
  RELEASES;
  _Bool was_set = __atomic_test_and_set(address, ORDER);
  ACQUIRES;
  return was_set;
}
HIDDEN void mpipp_atomic_clear(volatile void *address, int order);
HIDDEN void mpipp_atomic_clear(volatile void *address, int order) {
  (void)order;
  RELEASES;
  __atomic_clear((volatile _Bool *)address, ORDER);
}
#endif

ALL(1, 8, uint8_t)
ALL(2, 16, uint16_t)
ALL(4, 32, uint32_t)
ALL(8, 64, uint64_t)
