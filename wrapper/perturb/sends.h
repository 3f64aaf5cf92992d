// SPDX-License-Identifier: MIT
// Sends: nonblocking ones start late, standard ones are synchronous. Persistent operations of all
// kinds start late.
#ifndef MPIPP_PERTURB_SENDS_H
#define MPIPP_PERTURB_SENDS_H

#include "intercept/hooks.h"

// Returns whether a nonblocking send can be started later than its call.
int mpipp_perturb_can_defer_send(const struct mpipp_call *call);
// Returns whether MPI_Start or MPI_Startall can be executed later; and defers it.
int mpipp_perturb_can_defer_start(const struct mpipp_call *call);
int mpipp_perturb_defer_start(struct mpipp_passage *passage);
// Calls MPI in another way than the program did, if there is one; late: to start the operation
// later. Returns an enum mpipp_verdict.
int mpipp_perturb_send(struct mpipp_passage *passage, int late);

#endif
