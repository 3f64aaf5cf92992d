// SPDX-License-Identifier: MIT
// Queries the watcher about accesses that were found.
#ifndef MPIPP_BUFFER_GUARD_REPORTING_ACCESSES_H
#define MPIPP_BUFFER_GUARD_REPORTING_ACCESSES_H

#include "abi/seam.h"
#include "abi/vendor.h"
#include "buffer_guard/faults/faults.h"
#include "registry/records.h"

// Before a call of MPI, without the guard's lock: finds out whether MPI has moved the data of the
// operations whose buffers were accessed. Then queries the watcher about accesses to operations
// that the call ends. Each place is queried once.
MPIPP_SEAM void mpipp_guard_report_accesses(const struct mpipp_call *call);

// The thread's call has completed an operation, for which no more accesses are recorded, and
// returns soon. Accesses of other threads in the meantime are reported, too.
void mpipp_guard_report_completed_accesses(const struct mpipp_request *request);

// Set by perturb, for the program's request. MPIPP_DEFERRAL_NOT_STARTED if MPI did not get the
// operation yet, MPIPP_DEFERRAL_PERSISTENT if it has, as a persistent one; else 0. NULL: MPI gets
// all operations unchanged.
enum mpipp_deferral { MPIPP_DEFERRAL_NOT_STARTED = 1, MPIPP_DEFERRAL_PERSISTENT };
MPIPP_SEAM extern int (*mpipp_guard_deferral)(MPI_Request request);

// A request whose operation is still active, by its handle and number. A program that has left a
// call by a jump may take it for complete. NULL; with the store's lock.
struct mpipp_request *mpipp_guard_pending_request(uint64_t handle, uint64_t serial);
// A copy of such a request as it is now; 0 without.
int mpipp_guard_pending_copy(uint64_t handle, uint64_t serial, struct mpipp_request *copy);

#endif
