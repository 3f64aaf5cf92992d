// SPDX-License-Identifier: MIT
// Memory that is a stack: a page that is forbidden there ends the process, since the handler's
// frame has no place. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_STACKS_H
#define MPIPP_BUFFER_GUARD_MEMORY_STACKS_H

#include <stdint.h>

// Whether any byte of [low, high) may be of one: a thread's, or whatever this one is on now.
int mpipp_guard_is_stack(uint64_t low, uint64_t high);
// Whether this thread runs on its own stack, and not on a coroutine's that lies in a frame of that.
// Without the lock.
int mpipp_guard_is_on_own_stack(void);
// In a signal handler, which has that ucontext_t: whether the stack that it runs on has the room
// that backtrace takes. An alternate stack may be as small as the signal's frame. Without the lock.
int mpipp_guard_can_walk(const void *context);

#endif
