// SPDX-License-Identifier: MIT
// Sends: nonblocking ones start late, standard ones are synchronous. Persistent operations of all
// kinds start late.
#ifndef MPIPP_PERTURB_SENDS_H
#define MPIPP_PERTURB_SENDS_H

#include "intercept/hooks.h"

// Whether a nonblocking send can be started later than its call.
int mpipp_perturb_can_be_late(const struct mpipp_call *call);
// The same of MPI_Start and MPI_Startall, and its starting.
int mpipp_perturb_start_can_be_late(const struct mpipp_call *call);
int mpipp_perturb_start_later(struct mpipp_passage *passage);
// Calls MPI in another way than the program did, if there is one; late: to start the operation
// later. Returns an enum mpipp_verdict.
int mpipp_perturb_send(struct mpipp_passage *passage, int late);

#endif
