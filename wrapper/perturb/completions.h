// SPDX-License-Identifier: MIT
// Perturbs calls that wait for operations, or test them: changes the order, and answers "not yet".
#ifndef MPIPP_PERTURB_COMPLETIONS_H
#define MPIPP_PERTURB_COMPLETIONS_H

#include "intercept/hooks.h"

// If the call waits for or tests operations, calls MPI for the program. Returns an enum
// mpipp_verdict.
int mpipp_perturb_complete(struct mpipp_passage *passage);
// Returns whether to answer "not yet" where MPI allows it. The answer is "not yet" only a limited
// number of times.
int mpipp_perturb_denies(void);
// Notes whether a probe has found a message that is not received yet: later probes must find it
// again.
void mpipp_perturb_note_probe(int found);

#endif
