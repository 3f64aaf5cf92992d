// SPDX-License-Identifier: MIT
#include "recorder/ledger/repeat_cache.h"

#include <stddef.h>
#include <string.h>

#include "abi/mpi_symbols.h"
#include "abi/vendor.h"
#include "recorder/ledger/ledger.h"

enum {
  MOST = 2, // largest number of buffers
  // The facts of such a call that the ledger notes, except its buffers.
  NUMBERS = MPIPP_HAS_COMM | MPIPP_HAS_ORDINAL | MPIPP_HAS_ROOT | MPIPP_HAS_OP,
};

// A cache of calls that equalled the expected item, with all facts that the item has. The calls'
// objects are predefined, so they do not change, and items never change, either. A new call
// replaces an old one.
static struct mpipp_repeated_call {
  const struct mpipp_channel *channel;
  uint64_t expected; // the channel's expected item
  uint64_t caller, op;
  int64_t root;
  uint32_t present;
  uint16_t procedure, count;
  struct mpipp_buffer buffers[MOST]; // `address` is 1 for MPI_IN_PLACE, else 0
} repeated[8];

static struct mpipp_repeated_call *place_of(uint64_t expected) {
  return &repeated[(expected * 0x9E3779B97F4A7C15u) >> 61];
}

static uint64_t is_in_place(const struct mpipp_buffer *buffer) {
  return buffer->address == (uintptr_t)MPI_IN_PLACE;
}

static int is_like(const struct mpipp_buffer *buffer, const struct mpipp_buffer *before) {
  const size_t behind = offsetof(struct mpipp_buffer, count);
  return is_in_place(buffer) == before->address &&
         !memcmp(&buffer->count, &before->count, sizeof *buffer - behind);
}

int mpipp_recorder_note_repetition(struct mpipp_channel *channel, const struct mpipp_call *call) {
  const struct mpipp_repeated_call *like = place_of(channel->expected);
  if (like->channel != channel || like->expected != channel->expected) return 0;
  if (like->caller != call->caller || like->present != call->present ||
      like->procedure != call->procedure || like->count != call->buffer_count)
    return 0;
  if ((call->present & MPIPP_HAS_OP && like->op != call->op) ||
      (call->present & MPIPP_HAS_ROOT && like->root != call->root))
    return 0;
  struct mpipp_history *history = (void *)(uintptr_t)channel->history;
  if (history->noted != call->ordinal - 1 || call->ordinal % MPIPP_TIMED == 0 ||
      !mpipp_is_outside_mpi(call->caller))
    return 0;
  for (unsigned i = 0; i < like->count; i++) {
    if (!is_like(&call->buffers[i], &like->buffers[i])) return 0;
  }
  if (channel->period != 1) mpipp_recorder_note_advance(channel, call->ordinal);
  __atomic_store_n(&history->noted, call->ordinal, __ATOMIC_RELEASE);
  return 1;
}

void mpipp_recorder_remember_collective(const struct mpipp_channel *channel, uint64_t expected,
                                        const struct mpipp_call *call, uint64_t place) {
  if (call->present & ~(uint32_t)NUMBERS || call->buffer_count > MOST || place != call->caller ||
      !mpipp_is_outside_mpi(place))
    return;
  if (call->present & MPIPP_HAS_OP && !mpipp_registry_is_constant(MPIPP_OP, call->op)) return;
  struct mpipp_repeated_call made = {channel,         expected,           place,
                                     call->op,        call->root,         call->present,
                                     call->procedure, call->buffer_count, {{0}}};
  for (unsigned i = 0; i < call->buffer_count; i++) {
    const struct mpipp_buffer *buffer = &call->buffers[i];
    const struct mpipp_object *type = (const void *)(uintptr_t)buffer->record;
    if (!type || buffer->vector || !(MPIPP_READ(type->flags) & MPIPP_FLAG_PREDEFINED)) return;
    made.buffers[i] = *buffer;
    made.buffers[i].address = is_in_place(buffer);
  }
  *place_of(expected) = made;
}
