// SPDX-License-Identifier: MIT
// Logs perturbed operations as lines of text, in one file for each process. A sweep reads these
// files (mpipp/cli/commands/run/perturbation_log.py).
#ifndef MPIPP_PERTURB_RMA_EVENT_LOG_H
#define MPIPP_PERTURB_RMA_EVENT_LOG_H

#include "intercept/hooks.h"
#include "perturb/rma/deferred_operation.h"

// Opens the log in the directory that MPIPP_JOURNAL names.
void mpipp_perturb_journal_open(void);
// Logs an operation that is perturbed, and its call.
void mpipp_perturb_journal_begins(struct mpipp_identity identity, const struct mpipp_call *call);
// Logs that MPI gets the operation in another call, as operation `number` of `of` operations.
void mpipp_perturb_journal_ends(const struct mpipp_deferred_operation *one,
                                const struct mpipp_call *call, uint32_t number, uint32_t of,
                                int is_flushed);

#endif
