// SPDX-License-Identifier: MIT
// Work on memory of the program that may be unmapped. If a load or store faults, the work is
// abandoned.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_SAFE_ACCESS_H
#define MPIPP_BUFFER_GUARD_PLATFORM_SAFE_ACCESS_H

#include <stdint.h>

// Runs `work`. Returns 0 if it was abandoned because a load or store faulted. So the work must hold
// nothing that it would have to release. The caller holds the guard's lock.
int mpipp_guard_try(void (*work)(void *argument), void *argument);
// Runs work that stores received data for the program. If a store faults, the program's own signal
// handler runs first, since it may open the memory.
int mpipp_guard_try_deliver(void (*work)(void *argument), void *argument);
// faults.h sets this function, which installs its handler.
extern void (*mpipp_guard_try_begins)(void) __attribute__((visibility("hidden")));

// Called in the handler of SIGSEGV: if the thread does such work, arranges that it is abandoned
// when the handler returns, and returns 1.
int mpipp_guard_try_abandon(void *context);
// Returns whether the program's handler has to see the fault at an address. The handler sees each
// address once.
int mpipp_guard_try_asks_program(uint64_t address);
// The work that a thread has suspended while the program's handler runs. The handler may never
// return to it.
struct mpipp_try {
  void **place; // where to continue; NULL: no work was suspended
  int delivers;
};
struct mpipp_try mpipp_guard_try_suspend(void);
void mpipp_guard_try_resume(struct mpipp_try work);
// Returns, once, whether the handler has left the work by a jump.
int mpipp_guard_try_was_abandoned(void);

#endif
