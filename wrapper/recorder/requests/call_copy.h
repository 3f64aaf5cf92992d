// SPDX-License-Identifier: MIT
// Data that a request keeps alive until its end: its datatypes, and copies of its call's arrays.
#ifndef MPIPP_RECORDER_REQUESTS_CALL_COPY_H
#define MPIPP_RECORDER_REQUESTS_CALL_COPY_H

#include "abi/seam.h"
#include "registry/records.h"

// Copies the part of the call's record from the second buffer on, and keeps its arrays and
// datatypes alive.
MPIPP_SEAM void mpipp_recorder_request_keep(struct mpipp_request *request,
                                            const struct mpipp_call *call);

// The caller of the following functions has locked the requests (mpipp_lock_kind).

// Releases the objects that a request's record keeps alive.
MPIPP_SEAM void mpipp_recorder_drop_call(struct mpipp_request *request);

// The address where an operation has stored the handle of a new communicator, 0 if none; the
// communicator and ordinal of its call. shared: whether other requests had the same handle.
struct mpipp_output {
  uint64_t place, comm, ordinal, shared;
};

// Records that the operation is complete. kept: 1 if the request is persistent, and stays.
struct mpipp_output mpipp_recorder_complete_operation(struct mpipp_request *request, int kept);

#endif
