// SPDX-License-Identifier: MIT
// The guard's lock. Threads of the program may take it, too, outside of MPI; other hooks do.
#ifndef MPIPP_GUARD_LOCK_H
#define MPIPP_GUARD_LOCK_H

void mpipp_guard_lock(void);
void mpipp_guard_unlock(void);
// Takes it if nobody has it: whether it does.
int mpipp_guard_try_lock(void);
// Whether this thread has it, or is just about to take it, or has just given it back.
extern __thread int mpipp_guard_locked
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

#endif
