// SPDX-License-Identifier: MIT
// The events of objects that hooks get (intercept/hooks.h).
#ifndef MPIPP_REGISTRY_OBJECT_EVENTS_H
#define MPIPP_REGISTRY_OBJECT_EVENTS_H

#include "registry/records.h"

enum mpipp_event_kind {
  MPIPP_EVENT_MADE,      // an object was made; one that was made without the recorder when it is
                         // first used
  MPIPP_EVENT_STARTED,   // a persistent request's operation
  MPIPP_EVENT_COMPLETED, // a request's operation; the program is about to learn that
  MPIPP_EVENT_FREED,     // an object is about to be gone; a request by MPI_Request_free
  // A request's operation may be complete: another with its handle is. If not, MPI continues it.
  MPIPP_EVENT_DOUBTED,
};

// Records do not depend on hooks: the hook interface sets these. Flags: a hook wants events; a hook
// wants those of requests. The function passes an event on to the hooks, never NULL. position: of a
// completed operation's status among those of the call.
typedef void mpipp_sink(enum mpipp_event_kind kind, const struct mpipp_object *object,
                        int64_t position);
extern int mpipp_registry_listening __attribute__((visibility("hidden")));
extern int mpipp_registry_listening_to_requests __attribute__((visibility("hidden")));
extern mpipp_sink *mpipp_registry_event_sink __attribute__((visibility("hidden")));

#endif
