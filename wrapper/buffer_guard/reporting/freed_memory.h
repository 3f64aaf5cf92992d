// SPDX-License-Identifier: MIT
// Memory that the program gives back while an operation has it. What libc_interposer/malloc.c,
// which is a library of its own, finds here by name.
#ifndef MPIPP_BUFFER_GUARD_REPORTING_FREED_MEMORY_H
#define MPIPP_BUFFER_GUARD_REPORTING_FREED_MEMORY_H

#include <stdint.h>

// Whether operations are guarded.
extern int mpipp_guards_buffers __attribute__((visibility("default")));
// What else is done with it, before that.
extern void (*mpipp_guard_memory_freed_other)(uint64_t start, uint64_t bytes);
// Called in free, on any thread; caller: the return address of free.
void mpipp_guard_memory_freed(uint64_t start, uint64_t bytes, uint64_t caller)
    __attribute__((visibility("default")));

#endif
