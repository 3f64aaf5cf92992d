// SPDX-License-Identifier: MIT
// Passes deferred operations to MPI in another order.
#ifndef MPIPP_PERTURB_RMA_SCHEDULE_H
#define MPIPP_PERTURB_RMA_SCHEDULE_H

#include "perturb/rma/deferred_operation.h"

// Passes the operations of the list, all on one window, to MPI, and frees them. call: the call that
// must complete them. passive: 1 in an epoch of passive target communication. In such an epoch,
// some operations may be flushed in between. If an operation fails, MPI has called the program's
// error handler, and the rest are not passed.
void mpipp_perturb_hand_over(struct mpipp_deferred_operation *list, const struct mpipp_call *call,
                             int passive);

#endif
