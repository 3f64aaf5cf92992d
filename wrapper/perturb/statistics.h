// SPDX-License-Identifier: MIT
// What was done to which calls: mpipp report lists it. Any thread may say it, with whatever lock of
// provoke's.
#ifndef MPIPP_PERTURB_STATISTICS_H
#define MPIPP_PERTURB_STATISTICS_H

#include "registry/perturbations.h"
#include "registry/records.h"

// A place in the program that calls MPI.
struct mpipp_at {
  uint64_t caller; // return address; 0: not known
  unsigned procedure;
};

// Of a call that the thread is inside of.
struct mpipp_at mpipp_perturb_at(const struct mpipp_call *call);
// Counts that it was done to a call. by: another call that it was done by, if the way has one; else
// NULL. amount: parts, milliseconds; else 0.
void mpipp_perturb_note(const struct mpipp_at *of, enum mpipp_way way, const struct mpipp_at *by,
                        uint64_t amount);

// The call that the thread begins; where it is made.
void mpipp_perturb_noting(const struct mpipp_call *call);
const struct mpipp_at *mpipp_perturb_call_site(void);
// Counts what is done to it, and itself the first time.
void mpipp_perturb_note_call(enum mpipp_way way);

#endif
