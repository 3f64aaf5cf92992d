// SPDX-License-Identifier: MIT
// Requests that share a handle. A library gives out one handle for several operations that are
// complete from the start (eager sends), and another thread may be given a handle again before the
// thread that completed the operation before has come to record that. The record the handle leads
// to is the first of a chain, oldest first; each further one is a reference to the first.
#ifndef MPIPP_RECORDER_REQUESTS_SHARED_HANDLES_H
#define MPIPP_RECORDER_REQUESTS_SHARED_HANDLES_H

#include "recorder/requests/call_copy.h"
#include "registry/records.h"

// All of these with the requests locked (mpipp_lock_kind).

// Makes a filled record reachable by its handle.
void mpipp_recorder_chain_add(struct mpipp_request *request);

// One of the operations with that handle is complete: the one whose handle was stored where the
// caller now reads it from, else the oldest. Returns as mpipp_recorder_operation_completed. copy:
// NULL, or what takes over all that the record was.
struct mpipp_output mpipp_recorder_chain_completed(uint64_t handle, uint64_t where, int kept,
                                                   struct mpipp_request *copy);

// The request with that handle which is persistent, or was stored at that place; or NULL.
struct mpipp_request *mpipp_recorder_chain_find(uint64_t handle, uint64_t where);

// One of those that have the handle and are not doubted yet: it is so from now on. NULL: none.
struct mpipp_request *mpipp_recorder_chain_doubt(uint64_t handle);

#endif
