// SPDX-License-Identifier: MIT
// Work on memory of the program that may be unmapped: it is abandoned then.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_SAFE_ACCESS_H
#define MPIPP_BUFFER_GUARD_PLATFORM_SAFE_ACCESS_H

#include <stdint.h>

// Does some work; 0 if it was abandoned because a load or store had no memory. The work must hold
// nothing that it would have to release. With the guard's lock.
int mpipp_guard_try(void (*work)(void *argument), void *argument);
// Does work that stores received data for the program. At a store that is not allowed, the
// program's handler comes first.
int mpipp_guard_try_deliver(void (*work)(void *argument), void *argument);
// Set by faults.h: installs its handler.
extern void (*mpipp_guard_try_begins)(void) __attribute__((visibility("hidden")));

// For that handler. Returns whether the thread does such work, which is abandoned when the handler
// returns.
int mpipp_guard_try_abandon(void *context);
// Returns whether the program's handler has to see an address: each one once.
int mpipp_guard_try_asks_program(uint64_t address);
// While the handler runs the thread does no such work; it may never return to it.
struct mpipp_try {
  void **place; // NULL: it does none
  int delivers;
};
struct mpipp_try mpipp_guard_try_suspend(void);
void mpipp_guard_try_resume(struct mpipp_try work);
// Returns, once, whether it has not returned to it.
int mpipp_guard_try_was_abandoned(void);

#endif
