// SPDX-License-Identifier: MIT
// The memory whose loads and stores are recorded in runs with --check=rma: memory of windows, and
// local buffers of operations on windows. The caller holds the guard's lock. is_recorded,
// has_surplus, window and shared_query need no lock: they take it themselves, and call MPI without
// it.
#ifndef MPIPP_INSTRUMENTATION_RMA_MEMORY_H
#define MPIPP_INSTRUMENTATION_RMA_MEMORY_H

#include "intercept/hooks.h"

// Returns 0 if no byte of [low, high) is recorded, or 1 plus MPIPP_ACCESS_LASTING if these are
// bytes of a completed operation. Uses no floating-point register.
int mpipp_instrument_is_recorded(uint64_t low, uint64_t high);
// Returns whether buffers of completed operations have had enough accesses. Then the caller drops
// them with mpipp_instrument_rma_drop_surplus.
int mpipp_instrument_rma_has_surplus(void);
void mpipp_instrument_rma_drop_surplus(void);
// Notes that a window was created, or is about to be freed.
void mpipp_instrument_rma_window(const struct mpipp_event *event);
// Adds memory of a shared window when MPI_Win_shared_query has returned its address.
void mpipp_instrument_rma_shared_query(const struct mpipp_call *call);
// mpipp_instrument_rma_before_call: a call is about to start an operation.
// mpipp_instrument_rma_after_call: a call has synchronized, or changed a window's memory.
void mpipp_instrument_rma_before_call(const struct mpipp_call *call);
void mpipp_instrument_rma_after_call(const struct mpipp_call *call);
void mpipp_instrument_rma_end_all(void);

#endif
