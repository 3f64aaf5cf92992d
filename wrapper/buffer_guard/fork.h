// SPDX-License-Identifier: MIT
// The child of a fork gets pages of its own in place of those of the file, and is not watched.
#ifndef MPIPP_BUFFER_GUARD_FORK_H
#define MPIPP_BUFFER_GUARD_FORK_H

// What else is to be done in the child, with the guard's lock. Before the program begins.
void mpipp_guard_forks_handle(void (*in_child)(void));

// Before and after a process is made otherwise than by fork, with a copy of the program's memory.
// What libc_interposer/fork.c, which is a library of its own, finds here by name.
void mpipp_fork_begins(void) __attribute__((visibility("default")));
void mpipp_fork_ends(int in_child) __attribute__((visibility("default")));

#endif
