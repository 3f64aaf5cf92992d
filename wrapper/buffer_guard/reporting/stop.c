// SPDX-License-Identifier: MIT
#include "buffer_guard/reporting/stop.h"

#include <signal.h>
#include <stdlib.h>

static int are_wanted; // whether the run stops at findings (MPIPP_STOP)

__attribute__((constructor)) static void read_settings(void) {
  are_wanted = getenv("MPIPP_STOP") != NULL;
}

void mpipp_guard_query_begin(struct mpipp_asking *asking, const struct mpipp_thread *thread) {
  mpipp_watcher_ask_begin(asking, thread);
  if (asking->question)
    asking->question->awaits = are_wanted ? MPIPP_AWAITS_STOP : MPIPP_AWAITS_TOUCH;
}

int mpipp_guard_query_end(struct mpipp_asking *asking, int *stops) {
  int asked = mpipp_watcher_ask_end(asking);
  *stops = asked && are_wanted && mpipp_watcher_ask_await();
  return asked;
}

void mpipp_guard_stop_if(int stops) {
  if (stops) raise(SIGSTOP);
}
