// SPDX-License-Identifier: MIT
// A hook that finds the messages of nonblocking receives with MPI_ANY_SOURCE or MPI_ANY_TAG
// (recorder/matching/wildcard_receives.h). While the hook exists, all calls get a status from MPI,
// even if the program ignores it.
#include "intercept/wildcard_hook.h"

#include "intercept/hooks.h"
#include "recorder/matching/channels.h"

enum { ORDER = 1000000000 };

static void event(const struct mpipp_event *event) {
  const struct mpipp_request *request = (const void *)event->object;
  if (event->kind != MPIPP_EVENT_COMPLETED || !(request->call.present & MPIPP_HAS_SOURCE)) return;
  if (mpipp_is_wildcard((int)request->call.source, (int)request->call.tag))
    mpipp_recorder_complete_wildcard(&request->call, event->status);
}

void mpipp_intercept_watch_wildcards(void) {
  static int heard = 0;
  static struct mpipp_hook hook = {.event = event, .order = ORDER};
  if (__atomic_exchange_n(&heard, 1, __ATOMIC_RELAXED)) return;
  mpipp_hook_in(&hook);
}
