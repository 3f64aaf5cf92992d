// SPDX-License-Identifier: MIT
// Memory whose pages may be exchanged: static memory, and what glibc's malloc has from the system.
// Of other memory nobody knows what its owner relies on: that pages that it gives back come back as
// zeros, or that they can be moved at once. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_REMAPPABLE_REGIONS_H
#define MPIPP_BUFFER_GUARD_MEMORY_REMAPPABLE_REGIONS_H

#include "buffer_guard/platform/mappings.h"

// Whether all of [low, high), which lies in that mapping, is such memory.
int mpipp_guard_is_known_memory(const struct mpipp_mapping *mapping, uint64_t low, uint64_t high);
// Whether it is static memory of one library, or of the program.
int mpipp_guard_is_static_memory(uint64_t low, uint64_t high);
// Whether it lies in one block that malloc has mapped for itself, which is [*start, *end), and
// where what the program has of it begins.
int mpipp_guard_is_in_block(uint64_t low, uint64_t high, uint64_t *start, uint64_t *end);
enum { MPIPP_BLOCK_HEAD = 16 };

#endif
