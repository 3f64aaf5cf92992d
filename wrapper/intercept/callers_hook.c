// SPDX-License-Identifier: MIT
#include "intercept/callers_hook.h"

#include "abi/mpi_symbols.h"
#include "intercept/hooks.h"
#include "recorder/threads/threads.h"
#include "registry/registry.h"
#include "registry/stack_places.h"

static int enter(struct mpipp_passage *passage) {
  struct mpipp_thread *thread = mpipp_recorder_self;
  const struct mpipp_call *call = passage->call;
  thread->place = mpipp_registry_stack_place(mpipp_abi_outside_mpi_at(call->caller, call->frame));
  thread->place_serial = call->serial;
  return MPIPP_GO_ON;
}

// Before the call filter, whose queries contain the place.
static struct mpipp_hook hook = {.enter = enter, .order = MPIPP_FILTER_ORDER - 1};

void mpipp_intercept_callers_open(void) {
  if (mpipp_registry.frames) mpipp_hook_in(&hook);
}
