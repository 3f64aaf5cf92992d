// SPDX-License-Identifier: MIT
// Memory whose loads and stores are kept in runs with --check=rma: that of windows, and the own
// buffers of operations on windows. With the guard's lock, but for the first two, of which the
// second takes it, and asks MPI without it.
#ifndef MPIPP_RECORDED_H
#define MPIPP_RECORDED_H

#include "intercept/seam.h"

// Without any register of floating point.
int mpipp_is_recorded(uint64_t low, uint64_t high);
// A window was made, or is freed.
void mpipp_recorded_window(const struct mpipp_event *event);
// A call is about to start an operation; has synchronized, or changed a window's memory.
void mpipp_recorded_before(const struct mpipp_call *call);
void mpipp_recorded_after(const struct mpipp_call *call);
void mpipp_recorded_end_all(void);

#endif
