// SPDX-License-Identifier: MIT
// Memory whose pages the program has locked, or keeps from its children, as whoever registers it
// with a network or graphics card does: that uses the pages that are there, so that none of them
// may be exchanged for another. And memory whose pages the program has protected itself: what it
// has said of them holds, so that nobody else says anything. Takes no lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_LOCKED_PAGES_H
#define MPIPP_BUFFER_GUARD_MEMORY_LOCKED_PAGES_H

#include <stdint.h>

// Whether any byte of [low, high) is of such memory.
int mpipp_guard_is_held(uint64_t low, uint64_t high);
// Whether any is of memory that the program protects; it is from now on.
int mpipp_guard_is_protected(uint64_t low, uint64_t high);
void mpipp_guard_has_protected(uint64_t low, uint64_t high);
// It is held from now on. What libc_interposer/mmap.c, which is a library of its own, finds here by
// name.
void mpipp_system_has_held(uint64_t start, uint64_t bytes) __attribute__((visibility("default")));

#endif
