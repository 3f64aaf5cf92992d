// SPDX-License-Identifier: MIT
// Counts the perturbations of calls; mpipp report lists them. Any thread may call these functions,
// with any lock of perturb's.
#ifndef MPIPP_PERTURB_STATISTICS_H
#define MPIPP_PERTURB_STATISTICS_H

#include "registry/perturbations.h"
#include "registry/records.h"

// A place in the program that calls MPI.
struct mpipp_at {
  uint64_t caller; // return address of the call; 0: unknown
  unsigned procedure;
};

// The place of the call that the thread is inside of.
struct mpipp_at mpipp_perturb_at(const struct mpipp_call *call);
// Counts a perturbation of a call. by: the place of another call that caused it, if the way has
// one; else NULL. amount: number of parts or milliseconds; else 0.
void mpipp_perturb_note(const struct mpipp_at *of, enum mpipp_way way, const struct mpipp_at *by,
                        uint64_t amount);

// mpipp_perturb_note_place sets the place of the call that the thread begins.
// mpipp_perturb_call_site returns it.
void mpipp_perturb_note_place(const struct mpipp_call *call);
const struct mpipp_at *mpipp_perturb_call_site(void);
// Counts a perturbation of that call; the first time, counts the call itself, too.
void mpipp_perturb_note_call(enum mpipp_way way);

#endif
