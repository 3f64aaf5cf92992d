// SPDX-License-Identifier: MIT
#include "recorder/threads/past_calls.h"

#include <stddef.h>
#include <string.h>

#include "abi/mpi_symbols.h"
#include "registry/object_store.h"

enum { KEPT = 16, SHIFT = 64 - 4 }; // number of places, a power of two, and the shift for its hash

// The entry of a place, which may replace another place's entry. Returns NULL without memory.
static struct mpipp_past_call *entry_of(struct mpipp_thread *thread, uint64_t place) {
  if (MPIPP_UNLIKELY(!thread->past_calls)) {
    void *made = mpipp_registry_allocate(KEPT * sizeof(struct mpipp_past_call));
    if (!made) return NULL;
    memset(made, 0, KEPT * sizeof(struct mpipp_past_call));
    __atomic_store_n(&thread->past_calls, (uint64_t)(uintptr_t)made, __ATOMIC_RELEASE);
    MPIPP_WRITE(thread->past_count, KEPT);
  }
  struct mpipp_past_call *all = (void *)(uintptr_t)thread->past_calls;
  return &all[(place * MPIPP_HASH) >> SHIFT];
}

static uint64_t serial_of(const struct mpipp_buffer *buffer) {
  const struct mpipp_object *datatype = (const void *)(uintptr_t)buffer->record;
  return datatype ? MPIPP_READ(datatype->serial) : 0;
}

static int is_like_buffer(const struct mpipp_past_call *past, const struct mpipp_call *call,
                          uint32_t i) {
  const struct mpipp_buffer *buffer = &call->buffers[i], *before = &past->call.buffers[i];
  return before->address == buffer->address && before->count == buffer->count &&
         before->record == buffer->record && past->serials[i] == serial_of(buffer);
}

// Returns whether the entry already has this call's buffers. Only calls with one or two buffers
// count, as most loops make.
static int is_like(const struct mpipp_past_call *past, uint64_t place,
                   const struct mpipp_call *call) {
  const uint32_t count = call->buffer_count;
  return past->place == place && past->call.buffer_count == count &&
         past->call.procedure == call->procedure && (count == 1 || count == 2) &&
         !(call->present & MPIPP_HAS_VECTORS) && is_like_buffer(past, call, 0) &&
         (count == 1 || is_like_buffer(past, call, 1));
}

void mpipp_recorder_keep_past_call(struct mpipp_thread *thread) {
  const struct mpipp_call *call = &thread->call;
  const int is_own = MPIPP_LIKELY(mpipp_is_outside_mpi(call->caller));
  const uint64_t place =
      is_own ? call->caller : mpipp_abi_outside_mpi_at(call->caller, call->frame);
  struct mpipp_past_call *past = entry_of(thread, place);
  if (!past) return;
  if (MPIPP_LIKELY(is_like(past, place, call))) {
    MPIPP_WRITE(past->call.serial, call->serial);
    return;
  }
  // Readers see no place in the entry while it changes.
  __atomic_store_n(&past->place, 0, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const size_t first = offsetof(struct mpipp_call, buffers);
  memcpy(&past->call, call, first);
  past->call.present &= MPIPP_HAS_FIRST | MPIPP_HAS_VECTORS;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    past->call.buffers[i] = call->buffers[i];
    past->serials[i] = serial_of(&call->buffers[i]);
  }
  if (call->present & MPIPP_HAS_VECTORS)
    memcpy(past->call.vectors, call->vectors, sizeof call->vectors);
  __atomic_store_n(&past->place, place, __ATOMIC_RELEASE);
}
