// SPDX-License-Identifier: MIT
// Events of requests for hooks (registry/object_events.h).
#ifndef MPIPP_RECORDER_REQUESTS_REQUEST_EVENTS_H
#define MPIPP_RECORDER_REQUESTS_REQUEST_EVENTS_H

#include "recorder/threads/threads.h"
#include "registry/object_events.h"
#include "registry/object_store.h"

static inline int mpipp_is_listening_to_requests(void) {
  return MPIPP_UNLIKELY(MPIPP_READ(mpipp_registry_listening_to_requests));
}

// The copy of a request that hooks get, with the id of the thread that started the operation.
static inline struct mpipp_request mpipp_request_for_hooks(struct mpipp_request *request) {
  request->tid = (uint32_t)mpipp_recorder_self->tid;
  return *request;
}

#endif
