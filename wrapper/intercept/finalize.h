// SPDX-License-Identifier: MIT
// The end of recording, and calls of the program inside MPI_Finalize.
#ifndef MPIPP_INTERCEPT_FINALIZE_H
#define MPIPP_INTERCEPT_FINALIZE_H

#include "registry/records.h"

void mpipp_intercept_await_end(void); // first thing after MPI_Init
void mpipp_finalizing(void);

// The record for a call from there by a thread that is inside MPI. It is its own, if it has left
// its call. It is another, if a callback of the program calls inside MPI_Finalize. NULL if MPI
// itself calls, which passes.
struct mpipp_thread *mpipp_intercept_callback_record(struct mpipp_thread *thread, void *caller,
                                                     void *frame);

#endif
