// SPDX-License-Identifier: MIT
// Whose memory it is: what is mpipp's to look at, and to store to. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_ACCESSIBLE_MEMORY_H
#define MPIPP_BUFFER_GUARD_MEMORY_ACCESSIBLE_MEMORY_H

#include <stdint.h>

enum mpipp_memory {
  MPIPP_MEMORY_OTHER,  // a device's, or none: left alone
  MPIPP_MEMORY_SHARED, // other processes may be storing there, or make a file of it shorter
  MPIPP_MEMORY_OWN,
};

// Of all of [low, high); as it was a short time ago.
enum mpipp_memory mpipp_guard_memory_at(uint64_t low, uint64_t high);

#endif
