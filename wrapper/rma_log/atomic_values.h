// SPDX-License-Identifier: MIT
// The values that atomic operations give and bring: what is small, and not for ever.
#ifndef MPIPP_RMA_LOG_ATOMIC_VALUES_H
#define MPIPP_RMA_LOG_ATOMIC_VALUES_H

#include "registry/records.h"

enum { MPIPP_LOG_VALUES = 3 }; // words of an operation's entry

// The bytes of the operation's element if it has such words, else 0. It takes from what may be
// kept.
uint64_t mpipp_rma_log_has_values(const struct mpipp_call *call);
// Writes them; what the operation brings is logged when it has ended. While its entry is added.
void mpipp_rma_log_passed_values(uint64_t *words, const struct mpipp_call *call, uint64_t bytes,
                                 uint64_t win, uint64_t request);
// Adds what has been brought by those of a window to a target, or to any (-1), that had been logged
// before so many entries were there. While the entry of the call that ends them is added.
void mpipp_rma_log_brought(const struct mpipp_call *call, uint64_t win, int64_t target,
                           uint64_t before);
// The same of one that has a request, at any time.
void mpipp_rma_log_brought_by(const struct mpipp_call *call, uint64_t request);
// A window is freed. While the entry that says so is added.
void mpipp_rma_log_forget(uint64_t win);

#endif
