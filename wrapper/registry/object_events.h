// SPDX-License-Identifier: MIT
// Events of objects, for hooks (intercept/hooks.h).
#ifndef MPIPP_REGISTRY_OBJECT_EVENTS_H
#define MPIPP_REGISTRY_OBJECT_EVENTS_H

#include "registry/records.h"

enum mpipp_event_kind {
  MPIPP_EVENT_MADE,      // an object was created; if that was not seen, when it is first used
  MPIPP_EVENT_STARTED,   // a persistent request's operation was started
  MPIPP_EVENT_COMPLETED, // a request's operation is complete; the program is about to learn it
  MPIPP_EVENT_FREED,     // an object is about to be freed; a request only by MPI_Request_free
  // A request's operation may be complete, because another operation with the same handle is. If
  // the operation is not complete, MPI continues it.
  MPIPP_EVENT_DOUBTED,
};

// The registry does not depend on hooks, so the hook interface sets these variables. The flags: a
// hook wants events; a hook wants those of requests. The function, which is never NULL, passes an
// event on to the hooks. position: index of the completed operation's status among the call's
// statuses.
typedef void mpipp_sink(enum mpipp_event_kind kind, const struct mpipp_object *object,
                        int64_t position);
extern int mpipp_registry_listening __attribute__((visibility("hidden")));
extern int mpipp_registry_listening_to_requests __attribute__((visibility("hidden")));
extern mpipp_sink *mpipp_registry_event_sink __attribute__((visibility("hidden")));

#endif
