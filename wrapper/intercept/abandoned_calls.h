// SPDX-License-Identifier: MIT
// Calls that a thread has left without a return.
#ifndef MPIPP_INTERCEPT_ABANDONED_CALLS_H
#define MPIPP_INTERCEPT_ABANDONED_CALLS_H

#include "registry/records.h"

// Whether the thread is inside of MPI, as it says, when a function is called from there. If it has
// left the call it was in without a return, that is recorded, and it is not.
int mpipp_intercept_is_inside(struct mpipp_thread *thread, void *caller, void *frame);

#endif
