// SPDX-License-Identifier: MIT
// Checks calls against the thread level that MPI provides (MPI-4.1, section 11.2.1). This costs
// nothing while one thread alone calls MPI. When a second thread has called MPI, every call is
// checked. With MPI_THREAD_MULTIPLE, concurrent_calls.c checks some of the calls instead.
#ifndef MPIPP_INTERCEPT_THREAD_LEVELS_H
#define MPIPP_INTERCEPT_THREAD_LEVELS_H

#include "registry/records.h"

// Called when the call that initialized MPI has returned.
void mpipp_intercept_ask_thread_level(void);
// Notes the thread level of a session, for a program that uses only sessions. info: the one with
// which the session was requested.
void mpipp_intercept_session_level(uint64_t session, uint64_t info);

// Called when a thread is registered: its calls are checked if there are other threads.
void mpipp_intercept_watch(struct mpipp_thread *thread);

// Called before a checked thread calls a procedure.
void mpipp_intercept_check_level(struct mpipp_thread *thread, unsigned procedure, uint64_t caller);

#endif
