// SPDX-License-Identifier: MIT
#include "call_filter/result_arguments.h"

#include <errno.h>

#include "abi/mpi_symbols.h"
#include "call_filter/caches/query_cache.h"
#include "call_filter/other_arguments.h"
#include "generated/procedures.h"
#include "recorder/threads/threads.h"

enum {
  ASKED_RESULTS = 1024, // places with an argument, in a hash table
  MOST_ASKED = 512,     // queries about integers of one process
};

uint64_t mpipp_filter_known_results[MPIPP_KNOWN_RESULTS];
static uint64_t asked_results[ASKED_RESULTS];
static uint64_t asked_count;
static int is_open = 0;

void mpipp_filter_results_open(void) {
  is_open = 1;
}

// While the query is written, the record of the call has this argument alone. The call's other
// arguments are checked later.
static struct mpipp_call show(struct mpipp_call *call, const struct mpipp_input *input) {
  const struct mpipp_call whole = *call;
  call->buffer_count = 0;
  call->inputs = (uintptr_t)input;
  call->input_count = 1;
  call->present = MPIPP_HAS_ARGUMENTS;
  call->statuses = 0;
  __atomic_store_n(&call->state, MPIPP_CALL_ACTIVE, __ATOMIC_RELEASE);
  return whole;
}

static void show_whole(struct mpipp_call *call, const struct mpipp_call *whole) {
  __atomic_store_n(&call->state, whole->state, __ATOMIC_RELEASE);
  call->buffer_count = whole->buffer_count;
  call->inputs = whole->inputs;
  call->input_count = whole->input_count;
  call->present = whole->present;
  call->statuses = whole->statuses;
}

void mpipp_filter_null_output(unsigned role) {
  if (!is_open || mpipp_registry.status != MPIPP_STATUS_STARTED) return;
  struct mpipp_thread *thread = mpipp_recorder_self;
  struct mpipp_doubt doubt = {0};
  int saved = errno;
  mpipp_doubt(&doubt, thread->call.procedure);
  mpipp_doubt(&doubt, mpipp_outside_mpi(thread->call.caller));
  mpipp_doubt_reason(&doubt, MPIPP_OF_ARGUMENTS, role);
  int locked = mpipp_lock_kind(MPIPP_REQUEST), asks = mpipp_filter_is_new_doubt(&doubt);
  mpipp_unlock_kind(locked);
  if (asks) {
    struct mpipp_input input = {.values = (const void *)(uintptr_t)mpipp_role(role),
                                .count = 1,
                                .size = 1,
                                .shape = MPIPP_SHAPE_TEXT,
                                .name = mpipp_role(MPIPP_ROLE_null_output)};
    const struct mpipp_call whole = show(&thread->call, &input);
    mpipp_filter_ask(thread, &doubt, NULL, 0);
    show_whole(&thread->call, &whole);
  }
  errno = saved;
}

// Returns whether the argument of this place was not asked about before, and remembers it.
static int is_new(uint64_t place, unsigned role) {
  const uint64_t key = place ^ (uint64_t)role << 48;
  uint64_t *known = &asked_results[(key ^ key >> 44) * 0x9e3779b97f4a7c15u >> 54];
  if (MPIPP_READ(*known) == key || MPIPP_READ(asked_count) >= MOST_ASKED) return 0;
  MPIPP_WRITE(*known, key);
  MPIPP_WRITE(asked_count, asked_count + 1);
  return 1;
}

void mpipp_filter_look_up_result(struct mpipp_thread *thread, uint64_t address, uint32_t size,
                                 unsigned role) {
  struct mpipp_call *call = &thread->call;
  const uint64_t use = mpipp_result_use(thread, address);
  if (!address) {
    mpipp_filter_null_output(role);
    return;
  }
  MPIPP_WRITE(mpipp_filter_known_results[mpipp_place_hash(use)], use);
  // The variables of mpi4py are not the program's.
  if (!is_open || !mpipp_filter_finds_owners() || mpipp_filter_python_version ||
      mpipp_registry.status != MPIPP_STATUS_STARTED)
    return;
  int saved = errno;
  const uint64_t place = mpipp_abi_outside_mpi_at(call->caller, call->frame);
  if (is_new(place, role)) {
    struct mpipp_input input = {.values = (const void *)(uintptr_t)address,
                                .count = 1,
                                .size = size,
                                .shape = MPIPP_SHAPE_RESULT,
                                .name = mpipp_role(role)};
    thread->place = place;
    thread->place_serial = call->serial;
    const struct mpipp_call whole = show(call, &input);
    mpipp_filter_ask_owners(thread);
    show_whole(call, &whole);
  }
  errno = saved;
}
