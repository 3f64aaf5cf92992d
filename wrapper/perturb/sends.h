// SPDX-License-Identifier: MIT
// Perturbs sends: nonblocking sends start late, and standard sends are synchronous. Persistent
// operations of all kinds start late.
#ifndef MPIPP_PERTURB_SENDS_H
#define MPIPP_PERTURB_SENDS_H

#include "intercept/hooks.h"

// Returns whether a nonblocking send can be started later than its call.
int mpipp_perturb_can_defer_send(const struct mpipp_call *call);
// mpipp_perturb_can_defer_start returns whether a call of MPI_Start or MPI_Startall can be executed
// later. mpipp_perturb_defer_start defers it.
int mpipp_perturb_can_defer_start(const struct mpipp_call *call);
int mpipp_perturb_defer_start(struct mpipp_passage *passage);
// Calls MPI in another way than the program did, if there is one. late: 1 if the operation is to be
// started later. Returns an enum mpipp_verdict.
int mpipp_perturb_send(struct mpipp_passage *passage, int late);

#endif
