// SPDX-License-Identifier: MIT
// The guard's handler of SIGSEGV, and the program's own, which it replaces. The last function is
// found by name by libc_interposer/sigaction.c, which is a separate library.
#ifndef MPIPP_BUFFER_GUARD_FAULTS_SIGSEGV_HANDLER_H
#define MPIPP_BUFFER_GUARD_FAULTS_SIGSEGV_HANDLER_H

#include <signal.h>

#include "abi/seam.h"

// Installs the guard's handler.
void mpipp_guard_handler_install(void (*handler)(int number, siginfo_t *info, void *context));
// Returns whether the program has a handler.
int mpipp_guard_program_has_handler(void);
// Does what would be done without the guard.
void mpipp_guard_handler_pass_on(int number, siginfo_t *info, void *context);
// Like sigaction, while the guard's handler is installed: the program's is kept for later. 0: it is
// not.
MPIPP_SEAM int mpipp_handler_replace(int number, const struct sigaction *now,
                                     struct sigaction *before);

#endif
