// SPDX-License-Identifier: MIT
// Requests that share a handle. A library returns one handle for several operations that are
// complete from the start (eager sends). Another thread may also get a handle again before the
// thread that completed the former operation has recorded that. The handle's record is the first of
// a chain, oldest first; each further one is a reference to the first.
#ifndef MPIPP_RECORDER_REQUESTS_SHARED_HANDLES_H
#define MPIPP_RECORDER_REQUESTS_SHARED_HANDLES_H

#include "abi/seam.h"
#include "recorder/requests/call_copy.h"
#include "registry/records.h"

// All of these with the requests locked (mpipp_lock_kind).

// Makes a filled record reachable by its handle.
void mpipp_recorder_chain_add(struct mpipp_request *request);

// Completes one of the operations with that handle. It is the one whose handle was stored at the
// address where the caller now reads it, else the oldest. Returns as
// mpipp_recorder_complete_operation. copy: NULL, or takes the record's content.
struct mpipp_output mpipp_recorder_chain_complete(uint64_t handle, uint64_t where, int kept,
                                                  struct mpipp_request *copy);

// The request with that handle which is persistent, or was stored at that address; or NULL.
MPIPP_SEAM struct mpipp_request *mpipp_recorder_chain_find(uint64_t handle, uint64_t where);

// Marks one request with that handle as doubtful, which was not before. NULL: there is none.
struct mpipp_request *mpipp_recorder_chain_doubt(uint64_t handle);

#endif
