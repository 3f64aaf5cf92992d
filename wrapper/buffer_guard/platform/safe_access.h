// SPDX-License-Identifier: MIT
// Memory of the program's that may be gone: the work on it is given up then.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_SAFE_ACCESS_H
#define MPIPP_BUFFER_GUARD_PLATFORM_SAFE_ACCESS_H

#include <stdint.h>

// Does some work; 0 if it was given up where a load or store had no memory. It holds nothing that
// it would have to give back. With the guard's lock.
int mpipp_guard_carefully(void (*work)(void *argument), void *argument);
// The same of what MPI has received for the program: of a store that may not be done there the
// program's handler hears first.
int mpipp_guard_carefully_deliver(void (*work)(void *argument), void *argument);
// Of faults.h: sees to it that its handler is there.
extern void (*mpipp_guard_careful_begins)(void) __attribute__((visibility("hidden")));

// For that handler. Whether the thread is at such work, which is given up when the handler returns.
int mpipp_guard_careful_gives_up(void *context);
// Whether the program's handler is to hear of an address: of each once.
int mpipp_guard_careful_asks(uint64_t address);
// While that runs the thread is not at work; it may never return to it.
struct mpipp_careful {
  void **place; // NULL: it is at none
  int delivers;
};
struct mpipp_careful mpipp_guard_careful_leave(void);
void mpipp_guard_careful_return(struct mpipp_careful work);
// Whether it has not returned to it: said once.
int mpipp_guard_careful_was_left(void);

#endif
