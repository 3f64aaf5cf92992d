// SPDX-License-Identifier: MIT
#include "registry/object_events.h"

static void ignore_event(enum mpipp_event_kind kind, const struct mpipp_object *object,
                         int64_t position) {
  (void)kind, (void)object, (void)position;
}

int mpipp_registry_listening = 0;
int mpipp_registry_listening_to_requests = 0;
mpipp_sink *mpipp_registry_event_sink = ignore_event;
