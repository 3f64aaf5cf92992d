// SPDX-License-Identifier: MIT
// The last completed call from each of the places where a thread calls MPI. A debugger that stops
// at such a line shows the buffers of its call.
#ifndef MPIPP_RECORDER_THREADS_PAST_CALLS_H
#define MPIPP_RECORDER_THREADS_PAST_CALLS_H

#include "registry/records.h"

// Calls of these are left out: a request keeps its call, and one-sided calls are too frequent.
#define MPIPP_KEPT_OTHERWISE (MPIPP_HAS_REQUESTS | MPIPP_HAS_WIN)

// Keeps the call of the thread, which has buffers, and which MPI has completed.
void mpipp_recorder_keep_past_call(struct mpipp_thread *thread);

#endif
