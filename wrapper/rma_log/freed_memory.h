// SPDX-License-Identifier: MIT
// Memory that the program frees while it has the buffer of a one-sided operation, or belongs to a
// window. It keeps the buffers that may be pending, as ranges, each from its operation on until a
// call completes that; and the memory of windows.
#ifndef MPIPP_RMA_LOG_FREED_MEMORY_H
#define MPIPP_RMA_LOG_FREED_MEMORY_H

#include "abi/seam.h"
#include "registry/records.h"

// Two symbols that libc_interposer/free_realloc.c, a separate library, finds by name. The first is
// 1 if there are any ranges. The second is called in free, on any thread; caller: the return
// address of free.
MPIPP_SEAM extern int mpipp_onesided_pends;
MPIPP_SEAM void mpipp_onesided_report_free(uint64_t start, uint64_t bytes, uint64_t caller);

// An operation begins, whose entry is being added, with the values that stand for the datatype of
// each buffer. Buffers beyond the capacity are not checked. Returns whether any of its buffers may
// be freed.
int mpipp_rma_begin_operation(const struct mpipp_call *call, const uint64_t *datatypes,
                              uint64_t win, uint64_t request);
// Operations of a window to a target, or to any (-1), have ended, if they were logged before so
// many entries were there. While the entry of the call that ends them is added. The second: the
// operation with a request, at any time.
void mpipp_rma_complete_operations(uint64_t win, int64_t target, uint64_t before);
void mpipp_rma_complete_request(uint64_t request);
// A window gets memory of the program, or loses the memory that begins at BASE (0: all of it).
// While the entry of that is added.
void mpipp_rma_add_memory(uint64_t win, uint64_t base, uint64_t bytes);
void mpipp_rma_drop_memory(uint64_t win, uint64_t base);

#endif
