// SPDX-License-Identifier: MIT
// Memory whose pages may be exchanged: static memory, and memory that glibc's malloc gets from the
// system. The owners of other memory may rely on properties that exchanged pages lack. For example,
// released pages must read as zeros again, or must be movable at once. The caller holds the guard's
// lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_REMAPPABLE_REGIONS_H
#define MPIPP_BUFFER_GUARD_MEMORY_REMAPPABLE_REGIONS_H

#include "abi/seam.h"
#include "buffer_guard/platform/mappings.h"

// Returns whether all of [low, high) is memory of this kind. `mapping` contains the range.
MPIPP_SEAM int mpipp_guard_is_remappable(const struct mpipp_mapping *mapping, uint64_t low,
                                         uint64_t high);
// Returns whether [low, high) is static memory of one library, or of the program.
MPIPP_SEAM int mpipp_guard_is_static_memory(uint64_t low, uint64_t high);
// Returns whether [low, high) is inside one block that has a mapping of its own, [*start, *end).
// The program's part of the block begins MPIPP_BLOCK_HEAD bytes after *start.
MPIPP_SEAM int mpipp_guard_is_in_block(uint64_t low, uint64_t high, uint64_t *start, uint64_t *end);
enum { MPIPP_BLOCK_HEAD = 16 };

#endif
