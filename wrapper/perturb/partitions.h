// SPDX-License-Identifier: MIT
// Partitioned operations: MPI learns late that partitions are ready, and the program that they have
// arrived.
#ifndef MPIPP_PERTURB_PARTITIONS_H
#define MPIPP_PERTURB_PARTITIONS_H

#include "intercept/hooks.h"

// Returns whether a call marks partitions of an active send as ready, and is valid.
int mpipp_perturb_can_defer_ready(const struct mpipp_call *call);
// Keeps the partitions for later. Returns an enum mpipp_verdict.
int mpipp_perturb_defer_ready(struct mpipp_passage *passage);
// MPI_Parrived may answer "not yet" for partitions that the program does not know to have arrived.
int mpipp_perturb_test_partition(struct mpipp_passage *passage);
// The program starts those requests, or frees them: nothing has arrived yet.
void mpipp_perturb_reset_partitions(const struct mpipp_call *call);

#endif
