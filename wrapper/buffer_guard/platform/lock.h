// SPDX-License-Identifier: MIT
// The guard's lock. Other hooks may take the lock, and so may threads of the program outside MPI. A
// thread that holds the lock waits for no other lock except the store's. A thread that waits for
// the lock in a checked system call may hold the lock of an allocator, or the loader's.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_LOCK_H
#define MPIPP_BUFFER_GUARD_PLATFORM_LOCK_H

#include "abi/seam.h"

MPIPP_SEAM void mpipp_guard_lock(void);
MPIPP_SEAM void mpipp_guard_unlock(void);
// Takes the lock for actions of the program outside MPI, in which the program may hold locks of its
// own. A fork takes some of these locks while it holds the guard's lock. Meanwhile the forking
// thread does nothing else, and lends the lock to other threads.
MPIPP_SEAM void mpipp_guard_lock_outside_mpi(void);
// mpipp_guard_lend: this thread, which holds the lock, is about to create a process.
// mpipp_guard_reclaim: the process was created, and this thread holds the lock again. In the child
// no other thread holds it.
void mpipp_guard_lend(void);
void mpipp_guard_reclaim(int in_child);
// Takes the lock if it is free. Returns whether it took the lock.
int mpipp_guard_try_lock(void);
// 1 if this thread holds the lock, is just about to take it, or has just released it.
MPIPP_SEAM extern __thread int mpipp_guard_locked __attribute__((tls_model("initial-exec")));

#endif
