// SPDX-License-Identifier: MIT
// Queries the watcher about accesses that the guard has found.
#ifndef MPIPP_BUFFER_GUARD_REPORTING_ACCESSES_H
#define MPIPP_BUFFER_GUARD_REPORTING_ACCESSES_H

#include "abi/seam.h"
#include "abi/vendor.h"
#include "buffer_guard/faults/faults.h"
#include "registry/records.h"

// Called before a call of MPI, without the guard's lock. For each operation whose buffer was
// accessed, the function finds out whether MPI has moved the data. Then the watcher is queried
// about accesses to operations that the call ends. The watcher is queried once for each place.
MPIPP_SEAM void mpipp_guard_report_accesses(const struct mpipp_call *call);

// Notes that the thread's call has completed an operation, and returns soon. No more accesses are
// recorded for it, and those of other threads in the meantime are reported now.
void mpipp_guard_report_completed_accesses(const struct mpipp_request *request);

// Set by perturb: the state of a request of the program. MPIPP_DEFERRAL_NOT_STARTED: MPI did not
// get the operation yet. MPIPP_DEFERRAL_PERSISTENT: MPI has the operation as a persistent request.
// 0: MPI has the original operation. NULL if perturb is not loaded.
enum mpipp_deferral { MPIPP_DEFERRAL_NOT_STARTED = 1, MPIPP_DEFERRAL_PERSISTENT };
MPIPP_SEAM extern int (*mpipp_guard_deferral)(MPI_Request request);

// A request whose operation is still active, by its handle and serial; NULL if there is none. A
// program that has left a call by a jump may believe that the operation is complete. The caller
// holds the store's lock.
struct mpipp_request *mpipp_guard_pending_request(uint64_t handle, uint64_t serial);
// Copies the present state of such a request. Returns 0 if there is none.
int mpipp_guard_pending_copy(uint64_t handle, uint64_t serial, struct mpipp_request *copy);

#endif
