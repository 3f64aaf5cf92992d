// SPDX-License-Identifier: MIT
// Private to this library: a process is about to be made, with a copy of the program's memory, and
// has been made. The first returns whether anybody is told.
#ifndef MPIPP_LIBC_INTERPOSER_FORK_H
#define MPIPP_LIBC_INTERPOSER_FORK_H

int mpipp_fork_prepare(void) __attribute__((visibility("hidden")));
void mpipp_fork_finish(int is_told, int in_child) __attribute__((visibility("hidden")));

#endif
