// SPDX-License-Identifier: MIT
#include "call_filter/caches/rma_target_cache.h"

#include "registry/object_store.h"

enum { MOST_BUFFERS = 3, TARGETS_BITS = 3 };
_Static_assert(MPIPP_TARGETS == 1 << TARGETS_BITS, "as many");

// A cache of valid operations, for each thread. A call on another window, or an operation that
// equals no entry, replaces the oldest one.
static __thread struct mpipp_target {
  uint64_t win, serial, caller, op, kind;
  int64_t rank, first, last; // range of displacements for which the access is inside the window
  uint64_t addresses[MOST_BUFFERS], records[MOST_BUFFERS];
  int64_t counts[MOST_BUFFERS];
  uint64_t number; // ordinal among all entries so far
} targets[1 << TARGETS_BITS] __attribute__((tls_model("initial-exec")));
static __thread uint64_t numbers __attribute__((tls_model("initial-exec")));
// The entry that the thread's last call with a known target used, and the call's serial.
static __thread const struct mpipp_target *last __attribute__((tls_model("initial-exec")));
static __thread uint64_t last_call __attribute__((tls_model("initial-exec")));

static struct mpipp_target *target_of(const struct mpipp_call *call) {
  uint64_t hash = (call->caller + (uint64_t)call->target_rank) * MPIPP_HASH;
  return &targets[hash >> (64 - TARGETS_BITS)];
}

static void set_last(const struct mpipp_call *call, const struct mpipp_target *target) {
  last = target;
  last_call = call->serial;
}

int mpipp_filter_target_of(const struct mpipp_call *call, uint64_t *number) {
  if (!last || last_call != call->serial) return -1;
  *number = last->number;
  return (int)(last - targets);
}

static uint64_t kind_of(const struct mpipp_call *call) {
  return (uint64_t)call->procedure << 32 | call->buffer_count;
}

static uint64_t op_of(const struct mpipp_call *call) {
  return call->present & MPIPP_HAS_OP ? call->op : 0;
}

// Returns 0 if the call equals the entry, except for the displacement at the target.
static uint64_t differs(const struct mpipp_target *target, const struct mpipp_call *call,
                        const struct mpipp_object *win) {
  uint64_t other = (target->win ^ (uintptr_t)win) | (target->serial ^ win->serial) |
                   (target->caller ^ call->caller) | (target->kind ^ kind_of(call)) |
                   (target->op ^ op_of(call)) | (uint64_t)(target->rank ^ call->target_rank);
  if (other) return other;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    const struct mpipp_buffer *buffer = &call->buffers[i];
    other |= (target->records[i] ^ buffer->record) | (uint64_t)(target->counts[i] ^ buffer->count);
    if (!(buffer->access & MPIPP_REMOTE)) other |= target->addresses[i] ^ buffer->address;
  }
  return other;
}

// The displacement: in each operation the target's buffer is the last one.
static int64_t displacement(const struct mpipp_call *call) {
  return (int64_t)call->buffers[call->buffer_count - 1].address;
}

int mpipp_filter_knows_target(const struct mpipp_call *call, const struct mpipp_object *win) {
  const struct mpipp_target *target = target_of(call);
  if (differs(target, call, win)) return 0;
  set_last(call, target);
  int64_t at = displacement(call);
  return target->first <= at && at <= target->last;
}

void mpipp_filter_remember_target(const struct mpipp_call *call, const struct mpipp_object *win) {
  if (call->buffer_count > MOST_BUFFERS) return;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    // The program may free other datatypes, and their records would be reused.
    const struct mpipp_object *type = (const void *)(uintptr_t)call->buffers[i].record;
    if (!(type->flags & MPIPP_FLAG_PREDEFINED)) return;
  }
  struct mpipp_target *target = target_of(call);
  int64_t at = displacement(call);
  set_last(call, target);
  if (!differs(target, call, win)) {
    if (at < target->first) target->first = at;
    if (at > target->last) target->last = at;
    return;
  }
  *target = (struct mpipp_target){.win = (uintptr_t)win,
                                  .serial = win->serial,
                                  .caller = call->caller,
                                  .op = op_of(call),
                                  .kind = kind_of(call),
                                  .rank = call->target_rank,
                                  .first = at,
                                  .last = at,
                                  .number = ++numbers};
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    target->addresses[i] = call->buffers[i].address;
    target->records[i] = call->buffers[i].record;
    target->counts[i] = call->buffers[i].count;
  }
}
