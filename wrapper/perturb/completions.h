// SPDX-License-Identifier: MIT
// Perturbs calls that complete operations, or test them: other orders, and "not yet".
#ifndef MPIPP_PERTURB_COMPLETIONS_H
#define MPIPP_PERTURB_COMPLETIONS_H

#include "intercept/hooks.h"

// Calls MPI for the program if the call is one of these. Returns an enum mpipp_verdict.
int mpipp_perturb_complete(struct mpipp_passage *passage);
// Returns whether to answer "not yet" if that is allowed: not forever.
int mpipp_perturb_denies(void);
// Notes whether a probe has found a message that was not received since: it has to be found again.
void mpipp_perturb_note_probe(int found);

#endif
