// SPDX-License-Identifier: MIT
// Starts nonblocking collective operations late, if the library has persistent collective
// operations.
#ifndef MPIPP_PERTURB_COLLECTIVES_H
#define MPIPP_PERTURB_COLLECTIVES_H

#include "abi/vendor.h"
#include "intercept/hooks.h"

// Returns whether such a call is replaced by a persistent operation. The result is equal in all
// processes, because the two forms do not match.
int mpipp_perturb_can_defer_collective(const struct mpipp_call *call);
// Creates a persistent operation in place of the one that the call starts. passage->code:
// MPI_SUCCESS if it was created.
void mpipp_perturb_collective_make(struct mpipp_passage *passage, MPI_Request *request);

#endif
