// SPDX-License-Identifier: MIT
// The values that atomic operations pass and return, if they are small, up to a limit.
#ifndef MPIPP_RMA_LOG_ATOMIC_VALUES_H
#define MPIPP_RMA_LOG_ATOMIC_VALUES_H

#include "registry/records.h"

enum { MPIPP_LOG_VALUES = 3 }; // number of words in an operation's entry

// Returns the size of the operation's element if its entry has words for values, else 0. The
// operation then counts against the limit.
uint64_t mpipp_rma_log_has_values(const struct mpipp_call *call);
// Writes the passed values to the entry's words. The returned value is logged later, when the
// operation has completed. Call this function while the entry is added.
void mpipp_rma_log_passed_values(uint64_t *words, const struct mpipp_call *call, uint64_t bytes,
                                 uint64_t win, uint64_t request);
// Logs the values that operations on a window have returned. target: a rank, or -1 for any. Only
// operations among the first `before` entries are complete. Call this function while the entry of
// the completing call is added.
void mpipp_rma_log_returned_values(const struct mpipp_call *call, uint64_t win, int64_t target,
                                   uint64_t before);
// Logs the value that an operation with this request has returned. The caller need not be adding an
// entry.
void mpipp_rma_log_value_of_request(const struct mpipp_call *call, uint64_t request);
// Forgets the operations on a window that is freed. Call this function while the entry for the free
// is added.
void mpipp_rma_log_forget(uint64_t win);

#endif
