// SPDX-License-Identifier: MIT
// The guard's lock. Threads of the program may take it, too, outside of MPI; other hooks do.
// Who has it waits for nobody's but the store's: a thread that waits for it in a system call that
// is looked at may have an allocator's, or the loader's.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_LOCK_H
#define MPIPP_BUFFER_GUARD_PLATFORM_LOCK_H

void mpipp_guard_lock(void);
void mpipp_guard_unlock(void);
// The same for what the program does outside of MPI, with what locks of its own it may have. A fork
// takes some of these, too, while it has this one; until then it does nothing, and lends it.
void mpipp_guard_lock_beside(void);
// A process is about to be made, with the lock; it has been made: this thread has it again. In the
// child nobody else has.
void mpipp_guard_lend(void);
void mpipp_guard_take_back(int in_child);
// Takes it if nobody has it: whether it does.
int mpipp_guard_try_lock(void);
// Whether this thread has it, or is just about to take it, or has just given it back.
extern __thread int mpipp_guard_locked
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

#endif
