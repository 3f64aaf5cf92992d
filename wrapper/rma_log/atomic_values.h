// SPDX-License-Identifier: MIT
// The values that atomic operations pass and return: small ones, up to a limit.
#ifndef MPIPP_RMA_LOG_ATOMIC_VALUES_H
#define MPIPP_RMA_LOG_ATOMIC_VALUES_H

#include "registry/records.h"

enum { MPIPP_LOG_VALUES = 3 }; // words of an operation's entry

// The bytes of the operation's element if its entry has such words, else 0. It counts against the
// limit.
uint64_t mpipp_rma_log_has_values(const struct mpipp_call *call);
// Writes them; the returned value is logged when the operation has ended. While its entry is added.
void mpipp_rma_log_passed_values(uint64_t *words, const struct mpipp_call *call, uint64_t bytes,
                                 uint64_t win, uint64_t request);
// Adds the values that operations of a window to a target, or to any (-1), have returned. Only
// those that were logged before so many entries were there. While the entry of the call that ends
// them is added.
void mpipp_rma_log_returned_values(const struct mpipp_call *call, uint64_t win, int64_t target,
                                   uint64_t before);
// Adds the value that an operation with a request has returned, at any time.
void mpipp_rma_log_value_of_request(const struct mpipp_call *call, uint64_t request);
// A window is freed. While its entry is added.
void mpipp_rma_log_forget(uint64_t win);

#endif
