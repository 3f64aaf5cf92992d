// SPDX-License-Identifier: MIT
// Finds the kind of memory at an address: whether mpipp may read it, and store to it. The caller
// holds the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_ACCESSIBLE_MEMORY_H
#define MPIPP_BUFFER_GUARD_MEMORY_ACCESSIBLE_MEMORY_H

#include <stdint.h>

enum mpipp_memory {
  MPIPP_MEMORY_OTHER,  // a device's, or unmapped: mpipp does not touch it
  MPIPP_MEMORY_SHARED, // other processes may store to it, or truncate its file
  MPIPP_MEMORY_OWN,
};

// The kind of all memory in [low, high), as the system reported it a short time ago.
enum mpipp_memory mpipp_guard_memory_at(uint64_t low, uint64_t high);

#endif
