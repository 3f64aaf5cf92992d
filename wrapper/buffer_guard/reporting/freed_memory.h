// SPDX-License-Identifier: MIT
// Memory that the program frees while an operation on it is pending.
// libc_interposer/free_realloc.c, a separate library, finds these functions by name.
#ifndef MPIPP_BUFFER_GUARD_REPORTING_FREED_MEMORY_H
#define MPIPP_BUFFER_GUARD_REPORTING_FREED_MEMORY_H

#include <stdint.h>

#include "abi/seam.h"

// 1 if operations are guarded.
MPIPP_SEAM extern int mpipp_guards_buffers;
// Another part's function, which mpipp_guard_report_free calls first.
MPIPP_SEAM extern void (*mpipp_guard_free_listener)(uint64_t start, uint64_t bytes);
// Called in free, on any thread, before the memory is freed. caller: the return address of the call
// of free.
MPIPP_SEAM void mpipp_guard_report_free(uint64_t start, uint64_t bytes, uint64_t caller);

#endif
