// SPDX-License-Identifier: MIT
// What a request keeps alive until its end: the datatypes it uses, and copies of its arrays.
#ifndef MPIPP_RECORDER_REQUESTS_CALL_COPY_H
#define MPIPP_RECORDER_REQUESTS_CALL_COPY_H

#include "registry/records.h"

// What follows the first buffer, and what a request with array arguments or derived datatypes owns
// and keeps alive.
void mpipp_recorder_request_keep(struct mpipp_request *request, const struct mpipp_call *call);

// The following with the requests locked (mpipp_lock_kind).

// Ends what a request's record keeps alive.
void mpipp_recorder_drop_call(struct mpipp_request *request);

// Where an operation put a new communicator, 0 if nowhere; and its call's communicator and ordinal.
// shared: whether its handle was that of others, too.
struct mpipp_output {
  uint64_t place, comm, ordinal, shared;
};

// The operation of a record is complete. kept: the request is persistent.
struct mpipp_output mpipp_recorder_operation_completed(struct mpipp_request *request, int kept);

#endif
