// SPDX-License-Identifier: MIT
// The perturbations of operations, as lines of a file of each process: a sweep reads them
// (mpipp/cli/commands/run/perturbation_log.py).
#ifndef MPIPP_PERTURB_RMA_EVENT_LOG_H
#define MPIPP_PERTURB_RMA_EVENT_LOG_H

#include "intercept/hooks.h"
#include "perturb/rma/deferred_operation.h"

// In the directory that MPIPP_JOURNAL names.
void mpipp_perturb_journal_open(void);
// An operation that is perturbed, and its call.
void mpipp_perturb_journal_begins(struct mpipp_identity identity, const struct mpipp_call *call);
// MPI gets it in another call: as the number-th of so many.
void mpipp_perturb_journal_ends(const struct mpipp_deferred_operation *one,
                                const struct mpipp_call *call, uint32_t number, uint32_t of,
                                int is_flushed);

#endif
