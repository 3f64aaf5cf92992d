// SPDX-License-Identifier: MIT
#include "call_filter/null_outputs.h"

#include <errno.h>

#include "abi/mpi_symbols.h"
#include "call_filter/caches/query_cache.h"
#include "call_filter/other_arguments.h"
#include "generated/procedures.h"
#include "recorder/threads/threads.h"

static int is_open = 0;

void mpipp_filter_null_outputs_open(void) {
  is_open = 1;
}

// This query contains only the null pointer. The call's other arguments are checked later.
void mpipp_filter_null_output(unsigned role) {
  if (!is_open || mpipp_registry.status != MPIPP_STATUS_STARTED) return;
  struct mpipp_thread *thread = mpipp_recorder_self;
  struct mpipp_call *call = &thread->call;
  struct mpipp_doubt doubt = {0};
  int saved = errno;
  mpipp_doubt(&doubt, call->procedure);
  mpipp_doubt(&doubt, mpipp_outside_mpi(call->caller));
  mpipp_doubt_reason(&doubt, MPIPP_OF_ARGUMENTS, role);
  int locked = mpipp_lock_kind(MPIPP_REQUEST), asks = mpipp_filter_is_new_doubt(&doubt);
  mpipp_unlock_kind(locked);
  if (asks) {
    struct mpipp_input input = {.values = (const void *)(uintptr_t)mpipp_role(role),
                                .count = 1,
                                .size = 1,
                                .shape = MPIPP_SHAPE_TEXT,
                                .name = mpipp_role(MPIPP_ROLE_null_output)};
    const uint32_t present = call->present, buffers = call->buffer_count, state = call->state;
    call->buffer_count = 0;
    call->inputs = (uintptr_t)&input;
    call->input_count = 1;
    call->present = MPIPP_HAS_ARGUMENTS;
    __atomic_store_n(&call->state, MPIPP_CALL_ACTIVE, __ATOMIC_RELEASE);
    mpipp_filter_ask(thread, &doubt, NULL, 0);
    __atomic_store_n(&call->state, state, __ATOMIC_RELEASE);
    call->present = present;
    call->buffer_count = (uint16_t)buffers;
  }
  errno = saved;
}
