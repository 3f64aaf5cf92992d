// SPDX-License-Identifier: MIT
// Memory that the program gives back while a one-sided operation has its buffer there, or a window
// its memory: which buffers may be pending, as ranges, each from its operation on until a call
// completes that; and that of windows.
#ifndef MPIPP_RMA_LOG_FREED_MEMORY_H
#define MPIPP_RMA_LOG_FREED_MEMORY_H

#include "registry/records.h"

// What libc_interposer/malloc.c, which is a library of its own, finds here by name: whether any is
// there, and what is called in free, on any thread; caller: the return address of free.
extern int mpipp_onesided_pends __attribute__((visibility("default")));
void mpipp_onesided_memory_freed(uint64_t start, uint64_t bytes, uint64_t caller)
    __attribute__((visibility("default")));

// An operation begins, whose entry is being added: with what stands for the datatype of each
// buffer. Beyond what there is room for buffers are not looked at. Returns whether it has any that
// may be given back.
int mpipp_rma_begins(const struct mpipp_call *call, const uint64_t *datatypes, uint64_t win,
                     uint64_t request);
// Those of a window to a target, or to any (-1), have ended, that had been logged before so many
// entries were there: while the entry of what ends them is added. The one that has a request, at
// any time.
void mpipp_rma_operations_completed(uint64_t win, int64_t target, uint64_t before);
void mpipp_rma_request_completed(uint64_t request);
// A window has memory of the program's from now on, or no more that begins at BASE (0: none at
// all): while the entry of that is added.
void mpipp_rma_has(uint64_t win, uint64_t base, uint64_t bytes);
void mpipp_rma_has_not(uint64_t win, uint64_t base);

#endif
