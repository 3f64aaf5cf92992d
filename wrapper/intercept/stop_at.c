// SPDX-License-Identifier: MIT
// Lets a repeated run stop in the call in which an earlier run has found an error (mpipp run
// --check --stop-at). The watcher knows the place and the process of the call; MPIPP_STOP_AT has
// its possible ordinals.
#include "intercept/stop_at.h"

#include <signal.h>
#include <stdlib.h>

#include "abi/mpi_symbols.h"
#include "call_filter/caches/query_cache.h"
#include "intercept/hooks.h"
#include "recorder/threads/threads.h"
#include "watcher_client/connection.h"

enum { MOST_ORDINALS = 16, REFUSED = 1024 };

static uint64_t ordinals[MOST_ORDINALS];
static int ordinal_count = 0;
static uint64_t refused[REFUSED]; // places of calls that were queried, and are not the wanted call

// Returns whether the current call may be the wanted one. 2: its ordinal is in the list. 1: the
// list allows any ordinal. 0: neither.
static int is_possible(const struct mpipp_call *call) {
  int found = 0;
  for (int i = 0; i < ordinal_count; i++) {
    if (!ordinals[i])
      found |= 1;
    else if (ordinals[i] == call->ordinal || ordinals[i] == call->recv_ordinal)
      found |= 2;
  }
  return found;
}

// The place of the call. The place is the same for all calls from mpi4py whose line of Python is
// not found yet.
static uint64_t place_of(const struct mpipp_call *call) {
  const struct mpipp_thread *thread = mpipp_recorder_self;
  return thread->place_serial == call->serial ? thread->place : mpipp_outside_mpi(call->caller);
}

static int enter(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  int possible = is_possible(call);
  if (!possible) return MPIPP_GO_ON;
  uint64_t at = place_of(call), place = at ^ (uint64_t)call->procedure << 48;
  uint64_t *known = &refused[place * 0x9E3779B97F4A7C15u >> 32 & (REFUSED - 1)];
  if (possible == 1 && __atomic_load_n(known, __ATOMIC_RELAXED) == place) return MPIPP_GO_ON;
  if (mpipp_filter_ask_place(mpipp_recorder_self))
    raise(SIGSTOP);
  else if (possible == 1 && (at != call->caller || !mpipp_recorder_self->place_serial))
    __atomic_store_n(known, place, __ATOMIC_RELAXED);
  return MPIPP_GO_ON;
}

static struct mpipp_hook stopping = {.enter = enter, .order = MPIPP_FILTER_ORDER + 2};

void mpipp_intercept_stop_at_open(void) {
  const char *at = getenv("MPIPP_STOP_AT");
  char *end = NULL;
  while (at && *at && ordinal_count < MOST_ORDINALS) {
    ordinals[ordinal_count++] = strtoull(at, &end, 10);
    at = *end == ',' ? end + 1 : NULL;
  }
  if (ordinal_count && mpipp_watcher_is_connected()) mpipp_hook_in(&stopping);
}
