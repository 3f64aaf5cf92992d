// SPDX-License-Identifier: MIT
// Memory that the program frees during a pending operation. libc_interposer/free_realloc.c, which
// is a separate library, finds these functions by name.
#ifndef MPIPP_BUFFER_GUARD_REPORTING_FREED_MEMORY_H
#define MPIPP_BUFFER_GUARD_REPORTING_FREED_MEMORY_H

#include <stdint.h>

#include "abi/seam.h"

// 1 if operations are guarded.
MPIPP_SEAM extern int mpipp_guards_buffers;
// A further function that is called with it, before.
MPIPP_SEAM extern void (*mpipp_guard_free_listener)(uint64_t start, uint64_t bytes);
// Called in free, on any thread; caller: the return address of free.
MPIPP_SEAM void mpipp_guard_report_free(uint64_t start, uint64_t bytes, uint64_t caller);

#endif
