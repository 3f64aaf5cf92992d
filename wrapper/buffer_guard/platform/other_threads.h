// SPDX-License-Identifier: MIT
// Whether the program has other threads than the one that is in MPI.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_OTHER_THREADS_H
#define MPIPP_BUFFER_GUARD_PLATFORM_OTHER_THREADS_H

#include "registry/records.h"

// Before and after the call that initializes MPI: threads that it has made are MPI's.
void mpipp_guard_alone_enter(const struct mpipp_call *call);
void mpipp_guard_alone_leave(const struct mpipp_call *call);
int mpipp_guard_is_init(const struct mpipp_call *call);
// Any but the process's first, and MPI's, may be in system calls with any memory.
int mpipp_guard_has_one_thread(void);

#endif
