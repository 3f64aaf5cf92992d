// SPDX-License-Identifier: MIT
// Decides whether memory is a stack. A forbidden page there would end the process, because the
// signal handler's frame needs the page. The caller holds the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_STACKS_H
#define MPIPP_BUFFER_GUARD_MEMORY_STACKS_H

#include <stdint.h>

#include "abi/seam.h"

// Returns whether any byte of [low, high) may belong to a stack: a thread's own, or the one in use.
int mpipp_guard_is_stack(uint64_t low, uint64_t high);
// Returns whether this thread runs on its own stack, and not on the stack of a coroutine or signal
// handler. Needs no lock.
int mpipp_guard_is_on_own_stack(void);
// Called in a signal handler with its ucontext_t: returns whether the stack has enough space for
// backtrace. An alternate signal stack may be barely larger than the signal's frame. Needs no lock.
MPIPP_SEAM int mpipp_guard_can_walk(const void *context);

#endif
