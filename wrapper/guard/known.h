// SPDX-License-Identifier: MIT
// Memory whose pages may be exchanged: static memory, and what glibc's malloc has from the system.
// Of other memory nobody knows what its owner relies on: that pages that it gives back come back as
// zeros, or that they can be moved at once. With the guard's lock.
#ifndef MPIPP_KNOWN_MEMORY_H
#define MPIPP_KNOWN_MEMORY_H

#include "guard/mappings.h"

// Whether all of [low, high), which lies in that mapping, is such memory.
int mpipp_is_known_memory(const struct mpipp_mapping *mapping, uint64_t low, uint64_t high);

#endif
