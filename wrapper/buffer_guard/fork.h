// SPDX-License-Identifier: MIT
// The child of a fork gets pages of its own in place of those of the file, and is not watched.
#ifndef MPIPP_BUFFER_GUARD_FORK_H
#define MPIPP_BUFFER_GUARD_FORK_H

#include "abi/seam.h"

// Adds a function that the child calls, with the guard's lock. Before the program begins.
MPIPP_SEAM void mpipp_guard_fork_add_handler(void (*in_child)(void));

// Before and after the program makes a process with a copy of its memory, other than by fork.
// libc_interposer/fork.c, which is a separate library, finds them by name.
MPIPP_SEAM void mpipp_fork_begin(void);
MPIPP_SEAM void mpipp_fork_end(int in_child);

#endif
