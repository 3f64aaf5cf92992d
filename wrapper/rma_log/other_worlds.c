// SPDX-License-Identifier: MIT
#include "rma_log/other_worlds.h"

#include <stddef.h>

#include "generated/facts.h"
#include "generated/procedures.h"
#include "registry/object_store.h"
#include "rma_log/log.h"

static int is_in_other_world(uint64_t ranks, int32_t count) {
  for (int32_t i = 0; ranks && i < count; i++)
    if (((const int32_t *)(uintptr_t)ranks)[i] < 0) return 1;
  return 0;
}

int mpipp_rma_has_other_worlds(const struct mpipp_comm *comm) {
  return comm->world_known &&
         (is_in_other_world(comm->world_ranks, comm->size) ||
          (comm->inter && is_in_other_world(comm->remote_world_ranks, comm->remote_size)));
}

// Returns whether the call connects processes without a common communicator. These processes may
// even belong to one world.
static int meets(const struct mpipp_call *call) {
  switch (call->procedure) {
  case MPIPP_PROC_Comm_accept:
  case MPIPP_PROC_Comm_connect:
  case MPIPP_PROC_Comm_join:
  case MPIPP_PROC_Comm_spawn:
  case MPIPP_PROC_Comm_spawn_multiple:
    return 1;
  default:
    return 0;
  }
}

static int probes(const struct mpipp_call *call) {
  return call->procedure == MPIPP_PROC_Probe || call->procedure == MPIPP_PROC_Iprobe;
}

int mpipp_rma_is_communication(const struct mpipp_call *call) {
  return call->present & MPIPP_HAS_COMM && (call->present & (MPIPP_HAS_DEST | MPIPP_HAS_SOURCE) ||
                                            mpipp_facts[call->procedure].over != MPIPP_OVER_NONE);
}

static int involves_other_world(const struct mpipp_call *call) {
  const struct mpipp_comm *comm =
      mpipp_rma_is_communication(call) ? mpipp_find_live(MPIPP_COMM, call->comm) : NULL;
  return comm && !comm->identity && mpipp_rma_has_other_worlds(comm);
}

static void add(const struct mpipp_call *call, uint64_t request, uint64_t bits) {
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_ELSEWHERE, call, 2);
  if (!at) return;
  at[0] = request;
  at[1] = bits;
  mpipp_rma_log_end();
}

void mpipp_rma_log_other_world_begins(const struct mpipp_call *call) {
  if (meets(call) || (!probes(call) && involves_other_world(call))) add(call, 0, MPIPP_LOG_SENDS);
}

void mpipp_rma_log_other_world_ends(const struct mpipp_call *call, int flag) {
  if (meets(call) || (probes(call) && flag && involves_other_world(call)))
    add(call, 0, MPIPP_LOG_TAKES);
}

void mpipp_rma_log_other_world(const struct mpipp_call *call, uint64_t request) {
  add(call, request, MPIPP_LOG_TAKES);
}
