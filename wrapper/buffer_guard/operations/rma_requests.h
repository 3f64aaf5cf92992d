// SPDX-License-Identifier: MIT
// Records in place of requests: most one-sided operations have no request. While one is guarded, a
// record stands for its request, so that its findings are reported like those of other operations.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_RMA_REQUESTS_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_RMA_REQUESTS_H

#include "registry/records.h"

// The bit that marks the serial of such a record.
#define MPIPP_ACCESS ((uint64_t)1 << 63)

// Returns whether a call is an operation on a window, with or without a request.
int mpipp_guard_is_access(const struct mpipp_call *call);
// Creates the record of an operation. Returns its serial; 0 without memory.
uint64_t mpipp_guard_access_open(const struct mpipp_call *call);
void mpipp_guard_access_close(uint64_t serial);
// The record with that serial; NULL if it is closed. The caller holds the store's lock.
struct mpipp_request *mpipp_guard_access_record(uint64_t serial);
// Returns whether a call, when it has returned, has completed operations on a window at the origin:
// all of them, or those with that target.
int mpipp_guard_completes_accesses(const struct mpipp_call *call, uint64_t win, int64_t target);

#endif
