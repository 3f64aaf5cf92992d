// SPDX-License-Identifier: MIT
// Memory whose loads and stores are recorded in runs with --check=rma: that of windows, and the
// local buffers of operations on windows. With the guard's lock, except for the first three: the
// others take it, and call MPI without it.
#ifndef MPIPP_INSTRUMENTATION_RMA_MEMORY_H
#define MPIPP_INSTRUMENTATION_RMA_MEMORY_H

#include "intercept/hooks.h"

// Without any floating-point register.
int mpipp_instrument_is_recorded(uint64_t low, uint64_t high);
// A window was made, or is freed.
void mpipp_instrument_rma_window(const struct mpipp_event *event);
// MPI_Win_shared_query has returned the address of a window's memory.
void mpipp_instrument_rma_shared_query(const struct mpipp_call *call);
// A call is about to start an operation; or has synchronized, or changed a window's memory.
void mpipp_instrument_rma_before_call(const struct mpipp_call *call);
void mpipp_instrument_rma_after_call(const struct mpipp_call *call);
void mpipp_instrument_rma_end_all(void);

#endif
