// SPDX-License-Identifier: MIT
// Detects whether the program has other threads than the one that is inside MPI.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_OTHER_THREADS_H
#define MPIPP_BUFFER_GUARD_PLATFORM_OTHER_THREADS_H

#include "abi/seam.h"
#include "registry/records.h"

// Call these before and after the call that initializes MPI: new threads in between belong to MPI.
MPIPP_SEAM void mpipp_guard_threads_before_init(const struct mpipp_call *call);
MPIPP_SEAM void mpipp_guard_threads_after_init(const struct mpipp_call *call);
int mpipp_guard_is_init(const struct mpipp_call *call);
// Returns 0 if there is any thread except the process's first one and MPI's. Such a thread may be
// in a system call that uses any memory.
MPIPP_SEAM int mpipp_guard_has_one_thread(void);

#endif
