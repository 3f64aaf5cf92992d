// SPDX-License-Identifier: MIT
// Memory whose loads and stores are kept in runs with --check=rma: that of windows, and the own
// buffers of operations on windows. With the guard's lock, but for the first three, of which the
// others take it, and ask MPI without it.
#ifndef MPIPP_INSTRUMENTATION_RMA_MEMORY_H
#define MPIPP_INSTRUMENTATION_RMA_MEMORY_H

#include "intercept/hooks.h"

// Without any register of floating point.
int mpipp_instrument_is_recorded(uint64_t low, uint64_t high);
// A window was made, or is freed.
void mpipp_instrument_recorded_window(const struct mpipp_event *event);
// MPI_Win_shared_query has told where memory of one is.
void mpipp_instrument_recorded_shared_query(const struct mpipp_call *call);
// A call is about to start an operation; has synchronized, or changed a window's memory.
void mpipp_instrument_recorded_before(const struct mpipp_call *call);
void mpipp_instrument_recorded_after(const struct mpipp_call *call);
void mpipp_instrument_recorded_end_all(void);

#endif
