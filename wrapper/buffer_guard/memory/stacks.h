// SPDX-License-Identifier: MIT
// Memory that is a stack. A forbidden page there would end the process, since the handler's frame
// needs the page. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_STACKS_H
#define MPIPP_BUFFER_GUARD_MEMORY_STACKS_H

#include <stdint.h>

#include "abi/seam.h"

// Returns whether any byte of [low, high) may belong to a stack: a thread's, or the current one.
int mpipp_guard_is_stack(uint64_t low, uint64_t high);
// Returns whether this thread runs on its own stack, and not on a coroutine's inside one of its
// frames. Without the lock.
int mpipp_guard_is_on_own_stack(void);
// Returns in a signal handler, with its ucontext_t, whether the stack has enough space for
// backtrace. An alternate stack may be as small as the signal's frame. Without the lock.
MPIPP_SEAM int mpipp_guard_can_walk(const void *context);

#endif
