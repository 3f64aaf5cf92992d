// SPDX-License-Identifier: MIT
// Calls that a thread has left without a return.
#ifndef MPIPP_INTERCEPT_ABANDONED_CALLS_H
#define MPIPP_INTERCEPT_ABANDONED_CALLS_H

#include "registry/records.h"

// Returns whether the thread is inside MPI, according to its record, when a function is called from
// there. If it has left its call without a return, that is recorded, and the result is 0.
int mpipp_intercept_is_inside(struct mpipp_thread *thread, void *caller, void *frame);

#endif
