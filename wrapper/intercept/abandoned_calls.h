// SPDX-License-Identifier: MIT
// Detects calls that a thread has left without a return (by longjmp, or a C++ exception).
#ifndef MPIPP_INTERCEPT_ABANDONED_CALLS_H
#define MPIPP_INTERCEPT_ABANDONED_CALLS_H

#include "registry/records.h"

// Called when a function is called from `caller`: returns whether the thread is still inside the
// MPI call of its record. If the thread has left that call without a return, records that, and
// returns 0.
int mpipp_intercept_is_inside(struct mpipp_thread *thread, void *caller, void *frame);

#endif
