// SPDX-License-Identifier: MIT
// One-sided operations have no request. While one is guarded a record stands for its request, so
// that its findings are reported like the others.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_RMA_REQUESTS_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_RMA_REQUESTS_H

#include "registry/records.h"

// In the serial of such a record.
#define MPIPP_ACCESS ((uint64_t)1 << 63)

// Returns whether a call is an operation on a window, with a request or without.
int mpipp_guard_is_access(const struct mpipp_call *call);
// Makes the record of an operation; returns its serial, 0 without.
uint64_t mpipp_guard_access_open(const struct mpipp_call *call);
void mpipp_guard_access_close(uint64_t serial);
// The record, NULL once it is closed. With the store's lock.
struct mpipp_request *mpipp_guard_access_record(uint64_t serial);
// Returns whether a call, once it has returned, has completed operations of a window at the origin:
// all of them, or those on a target.
int mpipp_guard_completes_accesses(const struct mpipp_call *call, uint64_t win, int64_t target);

#endif
