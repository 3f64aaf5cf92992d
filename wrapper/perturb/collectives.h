// SPDX-License-Identifier: MIT
// Nonblocking collective operations that start late, if the library has persistent ones.
#ifndef MPIPP_PERTURB_COLLECTIVES_H
#define MPIPP_PERTURB_COLLECTIVES_H

#include "abi/vendor.h"
#include "intercept/hooks.h"

// Returns whether such a call becomes one of a persistent operation: equal in all processes, since
// the two do not match.
int mpipp_perturb_can_defer_collective(const struct mpipp_call *call);
// Makes that operation, in place of the call's; passage->code says whether it could be made.
void mpipp_perturb_collective_make(struct mpipp_passage *passage, MPI_Request *request);

#endif
