// SPDX-License-Identifier: MIT
// Start and end of the recording.
#ifndef MPIPP_STARTUP_H
#define MPIPP_STARTUP_H

#include "abi/seam.h"
#include "registry/records.h"

// Opens all parts, at the process's first call: libmpipp_wrap.c.
void mpipp_open(void);
// A record for this thread; NULL in a program this library must leave alone, or without memory.
struct mpipp_thread *mpipp_intercept_thread_new(void);

void mpipp_intercept_after_init(void); // MPI can be asked from now on
void mpipp_intercept_begin_session(uint64_t session,
                                   uint64_t info); // it was asked for with that info
int mpipp_intercept_is_repeated_init(unsigned procedure);
void mpipp_intercept_after_finalize(void);
// Called once, when MPI is initialized; NULL: nobody wants it.
MPIPP_SEAM extern void (*mpipp_intercept_at_start)(void);
// Called where the program exits without MPI_Finalize, with its stack still there; NULL: likewise.
MPIPP_SEAM extern void (*mpipp_intercept_at_exit)(void);
// Called before the process says that it ends otherwise than by MPI_Finalize; NULL: nobody wants
// it.
MPIPP_SEAM extern void (*mpipp_intercept_before_end)(void);
// MPI_Abort is about to be called.
void mpipp_intercept_before_abort(struct mpipp_call *call);

#endif
