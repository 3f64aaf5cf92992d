// SPDX-License-Identifier: MIT
// Partitioned operations: MPI is told late that partitions are ready, and the program that they
// have arrived.
#ifndef MPIPP_PERTURB_PARTITIONS_H
#define MPIPP_PERTURB_PARTITIONS_H

#include "intercept/hooks.h"

// Whether a call marks partitions of an active send as ready, and nothing is wrong with it.
int mpipp_perturb_ready_can_be_late(const struct mpipp_call *call);
// Keeps which they are, for later. Returns an enum mpipp_verdict.
int mpipp_perturb_ready_later(struct mpipp_passage *passage);
// MPI_Parrived may say "not yet" of what the program does not know to be there.
int mpipp_perturb_arrived(struct mpipp_passage *passage);
// The program starts those requests, or frees them: nothing is there yet.
void mpipp_perturb_arrived_anew(const struct mpipp_call *call);

#endif
