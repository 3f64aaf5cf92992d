// SPDX-License-Identifier: MIT
// Memory for the guard's data. Not from malloc: a thread that has an allocator's lock may wait for
// the guard's, in a checked system call. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_ALLOCATOR_H
#define MPIPP_BUFFER_GUARD_PLATFORM_ALLOCATOR_H

#include <stdint.h>

#include "abi/seam.h"

// Like malloc, and like free; NULL without memory.
MPIPP_SEAM void *mpipp_guard_allocate(uint64_t bytes);
MPIPP_SEAM void mpipp_guard_free(void *memory);

#endif
