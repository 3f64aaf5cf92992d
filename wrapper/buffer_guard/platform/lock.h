// SPDX-License-Identifier: MIT
// The guard's lock. Threads of the program may take it, too, outside MPI; other hooks do. A thread
// that has it waits for no other lock except the store's. A thread that waits for it in a checked
// system call may have an allocator's lock, or the loader's.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_LOCK_H
#define MPIPP_BUFFER_GUARD_PLATFORM_LOCK_H

#include "abi/seam.h"

MPIPP_SEAM void mpipp_guard_lock(void);
MPIPP_SEAM void mpipp_guard_unlock(void);
// Takes the lock for actions of the program outside MPI, during which it may hold locks of its own.
// A fork takes some of these, too, while it has this one; until then it does nothing, and lends it.
MPIPP_SEAM void mpipp_guard_lock_outside_mpi(void);
// A process is about to be made, with the lock; it has been made: this thread has the lock again.
// In the child no other thread has it.
void mpipp_guard_lend(void);
void mpipp_guard_reclaim(int in_child);
// Takes the lock if it is free; returns whether it has.
int mpipp_guard_try_lock(void);
// 1 if this thread has it, or is just about to take it, or has just released it.
MPIPP_SEAM extern __thread int mpipp_guard_locked __attribute__((tls_model("initial-exec")));

#endif
