// SPDX-License-Identifier: MIT
// The table of calls that MPI does not allow a thread to make, or not while another thread is in a
// call.
#ifndef MPIPP_INTERCEPT_THREAD_VIOLATIONS_H
#define MPIPP_INTERCEPT_THREAD_VIOLATIONS_H

#include "registry/records.h"

// Adds a violation. Returns 0 if it is already known for certain, or the table is full.
int mpipp_intercept_add_violation(const struct mpipp_breach *breach);
// Adds a violation in which another thread takes part by its call with that serial. The other
// thread may have left the call by a jump, although its record still shows the call. So the
// violation is certain only when that call has returned. Returns the same as
// mpipp_intercept_add_violation.
int mpipp_intercept_add_concurrent(struct mpipp_breach *breach, struct mpipp_thread *other,
                                   uint64_t serial);
// The thread's last call has returned, so violations in which it takes part are certain.
void mpipp_intercept_confirm_violations(struct mpipp_thread *thread);

// Returns whether a thread of the MPI library itself calls: it may do so at any time. caller: the
// return address. outside: the first one outside MPI.
int mpipp_intercept_is_thread_of_mpi(uint64_t caller, uint64_t outside);

#endif
