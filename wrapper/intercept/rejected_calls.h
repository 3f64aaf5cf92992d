// SPDX-License-Identifier: MIT
// Rejects wrong calls, so that MPI does not see them (mpipp run --on-error).
#ifndef MPIPP_INTERCEPT_REJECTED_CALLS_H
#define MPIPP_INTERCEPT_REJECTED_CALLS_H

#include "abi/seam.h"
#include "intercept/hooks.h"

// Called in a hook's `enter`, which returns the result. Calls the error handler of the call's
// object with this error class, or ends the job. Returns MPIPP_GO_ON if neither is possible.
// Neither is possible before MPI is initialized and after it is finalized. The same holds for an
// error without an object if MPI_COMM_WORLD does not exist.
MPIPP_SEAM int mpipp_intercept_refuse(struct mpipp_passage *passage, int error_class);

// Rejects a call that is not recorded, with the error handler of its first handle. Returns whether
// the call must not be made.
int mpipp_intercept_refuse_unrecorded(enum mpipp_kind kind, uint64_t handle, int error_class);

// Ends the job by MPI_Abort.
MPIPP_SEAM void mpipp_intercept_end_job(void);

#endif
