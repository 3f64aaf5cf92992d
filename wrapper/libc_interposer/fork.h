// SPDX-License-Identifier: MIT
// Private to this library. mpipp_fork_prepare is called before a process is created with a copy of
// the program's memory, mpipp_fork_finish afterwards. mpipp_fork_prepare returns whether a part of
// the wrapper needs both calls.
#ifndef MPIPP_LIBC_INTERPOSER_FORK_H
#define MPIPP_LIBC_INTERPOSER_FORK_H

int mpipp_fork_prepare(void) __attribute__((visibility("hidden")));
void mpipp_fork_finish(int is_told, int in_child) __attribute__((visibility("hidden")));

#endif
