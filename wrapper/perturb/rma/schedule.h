// SPDX-License-Identifier: MIT
// In what order operations that were put off are handed over.
#ifndef MPIPP_PERTURB_RMA_SCHEDULE_H
#define MPIPP_PERTURB_RMA_SCHEDULE_H

#include "perturb/rma/deferred_operation.h"

// Hands over the operations of that list, all on one window, and frees them. call: that must
// complete them. passive: the epoch is one of passive target communication, in which others may be
// completed in between: until one fails, of which MPI has told the program's error handler.
void mpipp_perturb_hand_over(struct mpipp_deferred *list, const struct mpipp_call *call,
                             int passive);

#endif
