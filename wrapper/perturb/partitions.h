// SPDX-License-Identifier: MIT
// Perturbs partitioned operations: MPI learns late that partitions are ready, and the program
// learns late that they have arrived.
#ifndef MPIPP_PERTURB_PARTITIONS_H
#define MPIPP_PERTURB_PARTITIONS_H

#include "intercept/hooks.h"

// Returns whether a valid call marks partitions of an active send as ready.
int mpipp_perturb_can_defer_ready(const struct mpipp_call *call);
// Defers the call. Returns an enum mpipp_verdict.
int mpipp_perturb_defer_ready(struct mpipp_passage *passage);
// Answers MPI_Parrived, perhaps with "not yet" for partitions that the program does not know to
// have arrived.
int mpipp_perturb_test_partition(struct mpipp_passage *passage);
// Forgets which partitions have arrived, because the program starts these requests, or frees them.
void mpipp_perturb_reset_partitions(const struct mpipp_call *call);

#endif
