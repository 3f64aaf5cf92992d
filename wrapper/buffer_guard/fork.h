// SPDX-License-Identifier: MIT
// Fork handling: the child gets pages of its own in place of pages of the guard's memory file, and
// is not watched.
#ifndef MPIPP_BUFFER_GUARD_FORK_H
#define MPIPP_BUFFER_GUARD_FORK_H

#include "abi/seam.h"

// Adds a function that the child of a fork calls with the guard's lock. Call it before main.
MPIPP_SEAM void mpipp_guard_fork_add_handler(void (*in_child)(void));

// Call these before and after the program creates a process with a copy of its memory, other than
// by fork. libc_interposer/fork.c, a separate library, finds them by name.
MPIPP_SEAM void mpipp_fork_begin(void);
MPIPP_SEAM void mpipp_fork_end(int in_child);

#endif
