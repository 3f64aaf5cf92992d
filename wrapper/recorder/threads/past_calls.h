// SPDX-License-Identifier: MIT
// The last completed call from each place at which a thread calls MPI. A debugger that stops at the
// place's line shows the buffers of the call.
#ifndef MPIPP_RECORDER_THREADS_PAST_CALLS_H
#define MPIPP_RECORDER_THREADS_PAST_CALLS_H

#include "registry/records.h"

// Calls with these members are not kept here: a request keeps its own call, and one-sided calls are
// too frequent.
#define MPIPP_KEPT_OTHERWISE (MPIPP_HAS_REQUESTS | MPIPP_HAS_WIN)

// Keeps the thread's call, which has buffers, and which MPI has completed.
void mpipp_recorder_keep_past_call(struct mpipp_thread *thread);

#endif
