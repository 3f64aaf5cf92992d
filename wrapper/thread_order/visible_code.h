// SPDX-License-Identifier: MIT
#ifndef MPIPP_THREAD_ORDER_VISIBLE_CODE_H
#define MPIPP_THREAD_ORDER_VISIBLE_CODE_H

#include <stdint.h>

// Returns whether mpipp sees the atomic operations of the whole program: `mpipp cc` has compiled
// all of it, except known libraries of the system.
int mpipp_order_sees_atomics(void);

// The addresses of a loaded object, without `high`.
struct mpipp_order_extent {
  uint64_t low, high;
};

// Returns the extent of the shared library at an address.
struct mpipp_order_extent mpipp_order_extent_of(const void *address);

// Returns whether an address is in the shared library of LLVM's or Intel's OpenMP.
int mpipp_order_is_openmp(const void *address);

// LLVM's or Intel's OpenMP reports its events to this part from now on, or (0) never does.
void mpipp_order_know_openmp(int reports);
// Returns whether the process has an OpenMP library that reports nothing to this part. creator: a
// place that creates a thread; NULL: only the environment decides.
int mpipp_order_has_silent_openmp(const void *creator);

#endif
