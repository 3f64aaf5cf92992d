// SPDX-License-Identifier: MIT
// Calls that are not made, since they are wrong (mpipp run --on-error).
#ifndef MPIPP_INTERCEPT_REJECTED_CALLS_H
#define MPIPP_INTERCEPT_REJECTED_CALLS_H

#include "abi/seam.h"
#include "intercept/hooks.h"

// In a hook's enter, which returns the result. Calls the error handler of the call's object with
// this class, or ends the job. MPIPP_GO_ON if neither is possible: before MPI is initialized, after
// it is finalized, and without MPI_COMM_WORLD for an error without an object.
MPIPP_SEAM int mpipp_intercept_refuse(struct mpipp_passage *passage, int error_class);

// For a call that is not recorded, with the first handle that it gets; returns whether the call
// must not be made.
int mpipp_intercept_refuse_unrecorded(enum mpipp_kind kind, uint64_t handle, int error_class);

// Ends the job.
MPIPP_SEAM void mpipp_intercept_end_job(void);

#endif
