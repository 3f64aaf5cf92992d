// SPDX-License-Identifier: MIT
// The guard, as other hooks see it.
#ifndef MPIPP_GUARD_H
#define MPIPP_GUARD_H

// Its lock. Threads of the program may take it, too, outside of MPI.
void mpipp_guard_lock(void);
void mpipp_guard_unlock(void);

#endif
