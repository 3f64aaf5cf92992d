// SPDX-License-Identifier: MIT
#include "recorder/matching/call_order.h"

#include "abi/vendor.h"
#include "recorder/ledger/ledger.h"
#include "recorder/matching/channel_table.h"
#include "recorder/threads/threads.h"
#include "registry/registry.h"

uint64_t mpipp_recorder_step(const struct mpipp_call *call, unsigned kind, uint64_t distance,
                             uint64_t identity, uint64_t key) {
  const uint64_t numbers[] = {identity, kind | distance << MPIPP_STEP_DISTANCE, key};
  uint64_t place = mpipp_recorder_place(call), thread = MPIPP_READ(mpipp_recorder_self->serial);
  mpipp_registry_lock();
  struct mpipp_comm *world = mpipp_find_live(MPIPP_COMM, MPIPP_KEY(MPI_COMM_WORLD));
  struct mpipp_channel *steps =
      world ? mpipp_recorder_channel_of(world, MPIPP_STEPS, 0, thread) : NULL;
  if (steps) mpipp_recorder_note_step_locked(world, steps, call->procedure, place, numbers);
  uint64_t number = steps ? mpipp_channel_next_ordinal(steps) : 0;
  mpipp_registry_unlock();
  return number;
}
