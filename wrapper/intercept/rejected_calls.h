// SPDX-License-Identifier: MIT
// Calls that are not made, since they are wrong (mpipp run --on-error).
#ifndef MPIPP_INTERCEPT_REJECTED_CALLS_H
#define MPIPP_INTERCEPT_REJECTED_CALLS_H

#include "intercept/hooks.h"

// In a hook's enter, which returns what this does: the error handler of what the call is on is
// called with this class, or the job ends. MPIPP_GO_ON where there is neither: before MPI is
// initialized, after it is finalized, and without MPI_COMM_WORLD for what is on nothing.
int mpipp_intercept_refuse(struct mpipp_passage *passage, int error_class);

// The same of a call of which nothing is recorded, with the first handle that it is given; returns
// whether it is not to be made.
int mpipp_intercept_refuse_marked(enum mpipp_kind kind, uint64_t handle, int error_class);

// Ends the job.
void mpipp_intercept_end_job(void);

#endif
