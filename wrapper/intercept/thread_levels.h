// SPDX-License-Identifier: MIT
// The thread level that MPI provides (MPI-4.1, section 11.2.1), and calls that break it. It costs
// nothing while one thread alone calls MPI. Once a second one has, every call is checked, unless
// the level allows any number of threads.
#ifndef MPIPP_INTERCEPT_THREAD_LEVELS_H
#define MPIPP_INTERCEPT_THREAD_LEVELS_H

#include "registry/records.h"

// The call that initialized MPI has returned.
void mpipp_intercept_ask_thread_level(void);
// Sets whether threads may call MPI concurrently in a program that uses sessions only; this session
// was requested with that info.
void mpipp_intercept_session_level(uint64_t session, uint64_t info);

// A thread is registered: its calls are checked if there are others.
void mpipp_intercept_watch(struct mpipp_thread *thread);

// A watched thread is about to call a procedure.
void mpipp_intercept_check_level(struct mpipp_thread *thread, unsigned procedure, uint64_t caller);

#endif
