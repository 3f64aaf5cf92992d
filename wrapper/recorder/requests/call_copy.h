// SPDX-License-Identifier: MIT
// The objects that a request keeps alive until its end: the datatypes it uses, and copies of its
// arrays.
#ifndef MPIPP_RECORDER_REQUESTS_CALL_COPY_H
#define MPIPP_RECORDER_REQUESTS_CALL_COPY_H

#include "abi/seam.h"
#include "registry/records.h"

// The record's part behind the first buffer, and the arrays and datatypes that the request keeps
// alive.
MPIPP_SEAM void mpipp_recorder_request_keep(struct mpipp_request *request,
                                            const struct mpipp_call *call);

// The following with the requests locked (mpipp_lock_kind).

// Releases the objects that a request's record keeps alive.
MPIPP_SEAM void mpipp_recorder_drop_call(struct mpipp_request *request);

// The place where an operation put a new communicator, 0 if none; and its call's communicator and
// ordinal. shared: whether other requests had its handle, too.
struct mpipp_output {
  uint64_t place, comm, ordinal, shared;
};

// The operation of a record is complete. kept: the request is persistent.
struct mpipp_output mpipp_recorder_complete_operation(struct mpipp_request *request, int kept);

#endif
