// SPDX-License-Identifier: MIT
// Finds memory that the program frees although it is the buffer of a pending one-sided operation,
// or belongs to a window. It keeps the buffers as ranges, each from the start of its operation
// until a call completes that.
#ifndef MPIPP_RMA_LOG_FREED_MEMORY_H
#define MPIPP_RMA_LOG_FREED_MEMORY_H

#include "abi/seam.h"
#include "registry/records.h"

// libc_interposer/free_realloc.c, a separate library, finds these two symbols by name.
// mpipp_onesided_pends is 1 if there are any ranges. free calls mpipp_onesided_report_free, on any
// thread. caller: the return address of the call of free.
MPIPP_SEAM extern int mpipp_onesided_pends;
MPIPP_SEAM void mpipp_onesided_report_free(uint64_t start, uint64_t bytes, uint64_t caller);

// Adds the buffers of an operation, while its entry is added. datatypes: numbers that stand for the
// datatype of each buffer. Buffers beyond the capacity are not checked. Returns whether any buffer
// of the operation may be freed.
int mpipp_rma_begin_operation(const struct mpipp_call *call, const uint64_t *datatypes,
                              uint64_t win, uint64_t request);
// mpipp_rma_complete_operations: operations on a window have completed. target: a rank, or -1 for
// any. Only operations among the first `before` entries are complete. Call this function while the
// entry of the completing call is added. mpipp_rma_complete_request: the operation with that
// request has completed. Call this function at any time.
void mpipp_rma_complete_operations(uint64_t win, int64_t target, uint64_t before);
void mpipp_rma_complete_request(uint64_t request);
// Notes that a window gets memory of the program, or loses the memory that begins at `base` (0: all
// memory). Call these functions while the entry for that change is added.
void mpipp_rma_add_memory(uint64_t win, uint64_t base, uint64_t bytes);
void mpipp_rma_drop_memory(uint64_t win, uint64_t base);

#endif
