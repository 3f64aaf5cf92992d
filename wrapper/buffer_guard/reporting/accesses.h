// SPDX-License-Identifier: MIT
// The watcher is asked about what was found.
#ifndef MPIPP_BUFFER_GUARD_REPORTING_ACCESSES_H
#define MPIPP_BUFFER_GUARD_REPORTING_ACCESSES_H

#include "abi/vendor.h"
#include "buffer_guard/faults/faults.h"
#include "registry/records.h"

// Before a call of MPI, without the guard's lock: whether MPI has moved the data of the operations
// whose buffers were touched; and what the call ends, of that the watcher is asked. Each place is
// asked about once.
void mpipp_guard_tell_touches(const struct mpipp_call *call);

// The call that the thread is in has completed an operation, of which nothing more is taken down,
// and returns soon: what other threads have touched meanwhile is told, too.
void mpipp_guard_tell_touches_of(const struct mpipp_request *request);

// Of provoke, by the program's request: MPIPP_HELD_BACK where MPI was not given the operation yet,
// MPIPP_MADE_PERSISTENT where it has, as a persistent one; 0. NULL: it is given all as it is.
enum mpipp_late_request { MPIPP_HELD_BACK = 1, MPIPP_MADE_PERSISTENT };
extern int (*mpipp_guard_late_request)(MPI_Request request);

// A request whose operation goes on still, by its handle and number: a program that has left a call
// by a jump may take it for complete. NULL; with the store's lock.
struct mpipp_request *mpipp_guard_pending_request(uint64_t handle, uint64_t serial);
// The same, as it is now; 0 without.
int mpipp_guard_pending_copy(uint64_t handle, uint64_t serial, struct mpipp_request *copy);

#endif
