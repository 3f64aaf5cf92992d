// SPDX-License-Identifier: MIT
// The end of recording, and what the program does inside MPI_Finalize.
#ifndef MPIPP_INTERCEPT_FINALIZE_H
#define MPIPP_INTERCEPT_FINALIZE_H

#include "registry/records.h"

void mpipp_intercept_await_end(void); // first thing after MPI_Init
void mpipp_finalizing(void);

// The record for a call from there of a thread that is inside of MPI: its own, if it has left the
// call it was in; another, if a callback of the program calls inside MPI_Finalize; NULL if MPI
// calls, which passes.
struct mpipp_thread *mpipp_intercept_calling(struct mpipp_thread *thread, void *caller,
                                             void *frame);

#endif
