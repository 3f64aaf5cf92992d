// SPDX-License-Identifier: MIT
// Memory of the program's that may be gone: the work on it is given up then.
#ifndef MPIPP_CAREFUL_H
#define MPIPP_CAREFUL_H

// Does some work; 0 if it was given up where a load or store had no memory. It holds nothing that
// it would have to give back. With the guard's lock.
int mpipp_carefully(void (*work)(void *argument), void *argument);
// Of faults.h: sees to it that its handler is there.
extern void (*mpipp_careful_begins)(void) __attribute__((visibility("hidden")));
// For that handler: whether the thread is at such work, which is given up when the handler returns.
int mpipp_careful_gives_up(void *context);

#endif
