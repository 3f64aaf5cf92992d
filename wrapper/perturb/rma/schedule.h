// SPDX-License-Identifier: MIT
// The order in which deferred operations are passed to MPI.
#ifndef MPIPP_PERTURB_RMA_SCHEDULE_H
#define MPIPP_PERTURB_RMA_SCHEDULE_H

#include "perturb/rma/deferred_operation.h"

// Passes the operations of that list, all on one window, to MPI, and frees them. call: it must
// complete them. passive: the epoch is one of passive target communication. Then other operations
// may be completed in between, until one fails, which MPI has reported to the program's error
// handler.
void mpipp_perturb_hand_over(struct mpipp_deferred_operation *list, const struct mpipp_call *call,
                             int passive);

#endif
