// SPDX-License-Identifier: MIT
// The guard's handler of SIGSEGV, and the program's own, in whose place it has come. The last is
// what libc_interposer/sigaction.c, which is a library of its own, finds here by name.
#ifndef MPIPP_BUFFER_GUARD_FAULTS_SIGSEGV_HANDLER_H
#define MPIPP_BUFFER_GUARD_FAULTS_SIGSEGV_HANDLER_H

#include <signal.h>

// Sees to it that the guard's is there.
void mpipp_guard_handler_put(void (*handler)(int number, siginfo_t *info, void *context));
// Whether the program has one.
int mpipp_guard_handler_has_programs(void);
// Does what would be done without it.
void mpipp_guard_handler_pass_on(int number, siginfo_t *info, void *context);
// As sigaction, where the guard's handler is there: the program's is kept for later. 0: it is not.
int mpipp_handler_replace(int number, const struct sigaction *now, struct sigaction *before)
    __attribute__((visibility("default")));

#endif
