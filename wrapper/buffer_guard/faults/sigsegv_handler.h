// SPDX-License-Identifier: MIT
// The guard's handler of SIGSEGV, and the program's own, which it replaces.
// libc_interposer/sigaction.c, a separate library, finds the last function by name.
#ifndef MPIPP_BUFFER_GUARD_FAULTS_SIGSEGV_HANDLER_H
#define MPIPP_BUFFER_GUARD_FAULTS_SIGSEGV_HANDLER_H

#include <signal.h>

#include "abi/seam.h"

// Installs the guard's handler.
void mpipp_guard_handler_install(void (*handler)(int number, siginfo_t *info, void *context));
// Returns whether the program has a handler of its own.
int mpipp_guard_program_has_handler(void);
// Passes a signal on to the program's handler, or to the default action.
void mpipp_guard_handler_pass_on(int number, siginfo_t *info, void *context);
// Works like sigaction, but keeps the program's action while the guard's handler is installed.
// Returns 0 if it is not installed, or the signal is another.
MPIPP_SEAM int mpipp_handler_replace(int number, const struct sigaction *now,
                                     struct sigaction *before);

#endif
