// SPDX-License-Identifier: MIT
// What was done to which operation, as lines of a file of each process: a sweep reads them
// (mpipp/cli/journal.py).
#ifndef MPIPP_JOURNAL_H
#define MPIPP_JOURNAL_H

#include "intercept/seam.h"
#include "provoke/deferred.h"

// In the directory that MPIPP_JOURNAL names.
void mpipp_journal_open(void);
// An operation that is provoked, and its call.
void mpipp_journal_begins(struct mpipp_identity identity, const struct mpipp_call *call);
// It is handed over in another call: as the number-th of so many.
void mpipp_journal_ends(const struct mpipp_deferred *one, const struct mpipp_call *call,
                        uint32_t number, uint32_t of, int is_flushed);

#endif
