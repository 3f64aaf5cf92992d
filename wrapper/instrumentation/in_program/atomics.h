// SPDX-License-Identifier: MIT
// Included before each C and C++ source that `mpipp cc` compiles with GCC, which inlines these
// functions even with -fno-inline-atomics.
#ifndef MPIPP_INSTRUMENTATION_IN_PROGRAM_ATOMICS_H
#define MPIPP_INSTRUMENTATION_IN_PROGRAM_ATOMICS_H

#ifndef __ASSEMBLER__
#ifdef __cplusplus
extern "C" {
bool mpipp_atomic_test_and_set(volatile void *, int);
#else
_Bool mpipp_atomic_test_and_set(volatile void *, int);
#endif
void mpipp_atomic_clear(volatile void *, int);
#ifdef __cplusplus
}
#endif

#define __atomic_test_and_set(ADDRESS, ORDER) mpipp_atomic_test_and_set(ADDRESS, ORDER)
#define __atomic_clear(ADDRESS, ORDER) mpipp_atomic_clear(ADDRESS, ORDER)

#define __sync_fetch_and_add(ADDRESS, ...) __atomic_fetch_add(ADDRESS, __VA_ARGS__, 5)
#define __sync_fetch_and_sub(ADDRESS, ...) __atomic_fetch_sub(ADDRESS, __VA_ARGS__, 5)
#define __sync_fetch_and_or(ADDRESS, ...) __atomic_fetch_or(ADDRESS, __VA_ARGS__, 5)
#define __sync_fetch_and_and(ADDRESS, ...) __atomic_fetch_and(ADDRESS, __VA_ARGS__, 5)
#define __sync_fetch_and_xor(ADDRESS, ...) __atomic_fetch_xor(ADDRESS, __VA_ARGS__, 5)
#define __sync_fetch_and_nand(ADDRESS, ...) __atomic_fetch_nand(ADDRESS, __VA_ARGS__, 5)
#define __sync_add_and_fetch(ADDRESS, ...) __atomic_add_fetch(ADDRESS, __VA_ARGS__, 5)
#define __sync_sub_and_fetch(ADDRESS, ...) __atomic_sub_fetch(ADDRESS, __VA_ARGS__, 5)
#define __sync_or_and_fetch(ADDRESS, ...) __atomic_or_fetch(ADDRESS, __VA_ARGS__, 5)
#define __sync_and_and_fetch(ADDRESS, ...) __atomic_and_fetch(ADDRESS, __VA_ARGS__, 5)
#define __sync_xor_and_fetch(ADDRESS, ...) __atomic_xor_fetch(ADDRESS, __VA_ARGS__, 5)
#define __sync_nand_and_fetch(ADDRESS, ...) __atomic_nand_fetch(ADDRESS, __VA_ARGS__, 5)
#define __sync_lock_test_and_set(ADDRESS, ...) __atomic_exchange_n(ADDRESS, __VA_ARGS__, 5)
#define __sync_lock_release(ADDRESS, ...) __atomic_store_n(ADDRESS, 0, 5)
#define __sync_val_compare_and_swap(ADDRESS, EXPECTED, WANTED, ...)                                \
  __extension__({                                                                                  \
    __typeof__(*(ADDRESS)) mpipp_expected = (EXPECTED);                                            \
    __atomic_compare_exchange_n(ADDRESS, &mpipp_expected, WANTED, 0, 5, 5);                        \
    mpipp_expected;                                                                                \
  })
#define __sync_bool_compare_and_swap(ADDRESS, EXPECTED, WANTED, ...)                               \
  __extension__({                                                                                  \
    __typeof__(*(ADDRESS)) mpipp_expected = (EXPECTED);                                            \
    __atomic_compare_exchange_n(ADDRESS, &mpipp_expected, WANTED, 0, 5, 5);                        \
  })
#endif

#endif
