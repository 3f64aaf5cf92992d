// SPDX-License-Identifier: MIT
// The start and the end of the recording.
#ifndef MPIPP_STARTUP_H
#define MPIPP_STARTUP_H

#include "abi/seam.h"
#include "registry/records.h"

// Opens all parts at the process's first MPI call; see libmpipp_wrap.c.
void mpipp_open(void);
// Makes a record for this thread. Returns NULL without memory, or in a program that this library
// must leave alone.
struct mpipp_thread *mpipp_intercept_thread_new(void);

void mpipp_intercept_after_init(void); // MPI may be queried from now on
void mpipp_intercept_begin_session(uint64_t session,
                                   uint64_t info); // the info from which the session was made
int mpipp_intercept_is_repeated_init(unsigned procedure);
void mpipp_intercept_after_finalize(void);
// A function that another part may set. The function is called once, when MPI is initialized.
MPIPP_SEAM extern void (*mpipp_intercept_at_start)(void);
// A function that another part may set. The function is called when the program exits without
// MPI_Finalize, while the stack of the exit call still exists.
MPIPP_SEAM extern void (*mpipp_intercept_at_exit)(void);
// Called in exit and _exit: checks whether MPI ends the process because of a call after
// MPI_Finalize.
MPIPP_SEAM void mpipp_intercept_check_late_exit(void);
// A function that another part may set. The function is called before the process announces an end
// other than MPI_Finalize.
MPIPP_SEAM extern void (*mpipp_intercept_before_end)(void);
// Called before MPI_Abort.
void mpipp_intercept_before_abort(struct mpipp_call *call);

#endif
