// SPDX-License-Identifier: MIT
// The thread level that MPI provides (MPI-4.1, section 11.2.1), and calls that break it. It costs
// nothing while one thread alone calls MPI; once a second one has, and the level does not allow
// any number, every call is looked at.
#ifndef MPIPP_INTERCEPT_THREAD_LEVELS_H
#define MPIPP_INTERCEPT_THREAD_LEVELS_H

#include "registry/records.h"

// The call that initialized MPI has returned.
void mpipp_intercept_ask_thread_level(void);
// Whether threads may call MPI side by side in a program of sessions alone; this one was asked for
// with that info.
void mpipp_intercept_session_level(uint64_t session, uint64_t info);

// A thread is registered: its calls are looked at if there are others.
void mpipp_intercept_watch(struct mpipp_thread *thread);

// A watched thread is about to call a procedure.
void mpipp_intercept_check_level(struct mpipp_thread *thread, unsigned procedure, uint64_t caller);

#endif
