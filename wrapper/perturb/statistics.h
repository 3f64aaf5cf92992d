// SPDX-License-Identifier: MIT
// Counts the perturbations of calls: mpipp report lists them. Any thread may call these functions,
// with any lock of perturb's.
#ifndef MPIPP_PERTURB_STATISTICS_H
#define MPIPP_PERTURB_STATISTICS_H

#include "registry/perturbations.h"
#include "registry/records.h"

// A place in the program that calls MPI.
struct mpipp_at {
  uint64_t caller; // return address; 0: unknown
  unsigned procedure;
};

// The place of a call that the thread is inside of.
struct mpipp_at mpipp_perturb_at(const struct mpipp_call *call);
// Counts a perturbation of a call. by: another call that caused it, if the way has one; else NULL.
// amount: parts, milliseconds; else 0.
void mpipp_perturb_note(const struct mpipp_at *of, enum mpipp_way way, const struct mpipp_at *by,
                        uint64_t amount);

// The thread begins this call; and the place of that call.
void mpipp_perturb_note_place(const struct mpipp_call *call);
const struct mpipp_at *mpipp_perturb_call_site(void);
// Counts a perturbation of it; the first time also the call itself.
void mpipp_perturb_note_call(enum mpipp_way way);

#endif
