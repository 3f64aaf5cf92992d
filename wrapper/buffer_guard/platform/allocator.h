// SPDX-License-Identifier: MIT
// Memory for what the guard keeps. Not malloc's: a thread that has an allocator's lock may wait for
// the guard's, in a system call that is looked at. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_ALLOCATOR_H
#define MPIPP_BUFFER_GUARD_PLATFORM_ALLOCATOR_H

#include <stdint.h>

// As malloc, and as free; NULL without.
void *mpipp_guard_allocate(uint64_t bytes);
void mpipp_guard_free(void *memory);

#endif
