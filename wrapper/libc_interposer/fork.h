// SPDX-License-Identifier: MIT
// Private to this library: the functions before and after a process is made with a copy of the
// program's memory. The first returns whether a part of the wrapper needs to know.
#ifndef MPIPP_LIBC_INTERPOSER_FORK_H
#define MPIPP_LIBC_INTERPOSER_FORK_H

int mpipp_fork_prepare(void) __attribute__((visibility("hidden")));
void mpipp_fork_finish(int is_told, int in_child) __attribute__((visibility("hidden")));

#endif
