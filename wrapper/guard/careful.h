// SPDX-License-Identifier: MIT
// Memory of the program's that may be gone: the work on it is given up then.
#ifndef MPIPP_CAREFUL_H
#define MPIPP_CAREFUL_H

// Does some work; 0 if it was given up where a load or store had no memory. It holds nothing that
// it would have to give back. The handler of faults.h must be there.
int mpipp_carefully(void (*work)(void *argument), void *argument);
// For that handler: whether the thread is at such work, which is given up when the handler returns.
int mpipp_careful_gives_up(void *context);

#endif
