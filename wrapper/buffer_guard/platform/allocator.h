// SPDX-License-Identifier: MIT
// Memory for the guard's own data. It does not use malloc, because a thread that holds malloc's
// lock may wait for the guard's lock, in a checked system call. The caller holds the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_ALLOCATOR_H
#define MPIPP_BUFFER_GUARD_PLATFORM_ALLOCATOR_H

#include <stdint.h>

#include "abi/seam.h"

// Like malloc and free. Returns NULL without memory.
MPIPP_SEAM void *mpipp_guard_allocate(uint64_t bytes);
MPIPP_SEAM void mpipp_guard_free(void *memory);

#endif
