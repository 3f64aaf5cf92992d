// SPDX-License-Identifier: MIT
// Requests that share a handle. MPI may return one handle for several operations that are complete
// from the start (eager sends). A thread may also get a handle before the thread that completed the
// last operation with this handle has recorded that. The records of these requests form a chain,
// oldest first. A look-up of the handle finds the first record, and each other record holds a
// reference to the first.
#ifndef MPIPP_RECORDER_REQUESTS_SHARED_HANDLES_H
#define MPIPP_RECORDER_REQUESTS_SHARED_HANDLES_H

#include "abi/seam.h"
#include "recorder/requests/call_copy.h"
#include "registry/records.h"

// The caller of these functions has locked the requests (mpipp_lock_kind).

// Makes a filled record reachable by its handle.
void mpipp_recorder_chain_add(struct mpipp_request *request);

// Completes one of the operations with that handle. That operation is the one whose handle MPI
// stored at `where`, the address at which the completion call reads it; else the oldest. Returns
// the same as mpipp_recorder_complete_operation. copy: memory for the record's content, or NULL.
struct mpipp_output mpipp_recorder_chain_complete(uint64_t handle, uint64_t where, int kept,
                                                  struct mpipp_request *copy);

// The request with that handle that is persistent, or whose handle was stored at that address; NULL
// if there is none.
MPIPP_SEAM struct mpipp_request *mpipp_recorder_chain_find(uint64_t handle, uint64_t where);

// Marks one more request with that handle as doubtful. Returns it; NULL if all are marked.
struct mpipp_request *mpipp_recorder_chain_doubt(uint64_t handle);

#endif
