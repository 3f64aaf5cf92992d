// SPDX-License-Identifier: MIT
// The end of recording, and calls of the program inside MPI_Finalize.
#ifndef MPIPP_INTERCEPT_FINALIZE_H
#define MPIPP_INTERCEPT_FINALIZE_H

#include "registry/records.h"

void mpipp_intercept_await_end(void); // called first after MPI_Init
void mpipp_finalizing(void);

// The record for a call that a thread inside MPI makes. If the thread has left its previous call,
// the result is the thread's own record. If a callback of the program calls inside MPI_Finalize, it
// is another one. NULL if MPI itself calls: then the call is passed through.
struct mpipp_thread *mpipp_intercept_callback_record(struct mpipp_thread *thread, void *caller,
                                                     void *frame);

#endif
