// SPDX-License-Identifier: MIT
// Calls that complete operations, or ask whether they are: in odd orders, and "not yet".
#ifndef MPIPP_PERTURB_COMPLETIONS_H
#define MPIPP_PERTURB_COMPLETIONS_H

#include "intercept/hooks.h"

// Calls MPI for the program where the call is one of these. Returns an enum mpipp_verdict.
int mpipp_perturb_complete(struct mpipp_passage *passage);
// Whether to say "not yet" where that may be said: not for ever.
int mpipp_perturb_denies(void);
// Whether a probe has found what may be received, and nothing was received since: what was found is
// found again.
void mpipp_perturb_probe_found(int found);

#endif
