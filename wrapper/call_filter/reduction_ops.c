// SPDX-License-Identifier: MIT
#include "call_filter/reduction_ops.h"

#include "abi/vendor.h"
#include "call_filter/buffer_bounds.h"
#include "generated/facts.h"
#include "registry/object_store.h"
#include "registry/registry.h"

static int is_number(uint64_t datatype) {
  const MPI_Datatype numbers[] = {MPI_DOUBLE, MPI_INT,           MPI_FLOAT,
                                  MPI_LONG,   MPI_LONG_LONG,     MPI_UNSIGNED,
                                  MPI_SHORT,  MPI_UNSIGNED_LONG, MPI_LONG_DOUBLE};
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (MPIPP_KEY(numbers[i]) == datatype) return 1;
  }
  return 0;
}

static int is_arithmetic(uint64_t op) {
  return op == MPIPP_KEY(MPI_SUM) || op == MPIPP_KEY(MPI_MAX) || op == MPIPP_KEY(MPI_MIN) ||
         op == MPIPP_KEY(MPI_PROD);
}

int mpipp_filter_is_plain_reduction(const struct mpipp_call *call, const struct mpipp_object *op) {
  if (call->present & MPIPP_HAS_WIN) return 0; // the watcher checks accumulates
  if (!(op->flags & MPIPP_FLAG_PREDEFINED)) return 1;
  if (!is_arithmetic(call->op)) return 0;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    const struct mpipp_buffer *buffer = &call->buffers[i];
    if (buffer->address != (uintptr_t)MPI_IN_PLACE && !is_number(buffer->datatype)) return 0;
  }
  return 1;
}

// A cache of reductions that were certainly valid. A new one replaces an old one.
static struct mpipp_reduction {
  uint64_t op, record; // op: the handle; record: of the datatype
  uint32_t procedure, access[2];
} known[8];

static struct mpipp_reduction *place_of(const struct mpipp_call *call) {
  uint64_t sum = (call->op + call->buffers[0].record + call->procedure) * 0x9E3779B97F4A7C15u;
  return &known[sum >> 61];
}

// Returns whether the call has a single count and datatype, and two buffers.
static int is_simple(const struct mpipp_call *call) {
  const struct mpipp_buffer *one = &call->buffers[0], *other = &call->buffers[1];
  return call->present == (MPIPP_HAS_COMM | MPIPP_HAS_OP | MPIPP_HAS_ORDINAL) &&
         call->buffer_count == 2 && one->record == other->record && one->count == other->count &&
         one->peers == 1 && other->peers == 1 && !one->vector && !other->vector;
}

int mpipp_filter_is_repeated_reduction(struct mpipp_call *call) {
  if (!is_simple(call)) return 0;
  const struct mpipp_reduction *like = place_of(call);
  const struct mpipp_buffer *one = &call->buffers[0], *other = &call->buffers[1];
  if (like->op != call->op || like->record != one->record || like->procedure != call->procedure ||
      like->access[0] != one->access || like->access[1] != other->access)
    return 0;
  const struct mpipp_datatype *type = (const void *)(uintptr_t)one->record;
  int64_t bytes, low = (int64_t)one->address, high = (int64_t)other->address;
  if (low > high) low = (int64_t)other->address, high = (int64_t)one->address;
  // The value of MPI_IN_PLACE is not an address of memory.
  if (__builtin_mul_overflow(one->count, type->extent, &bytes) || bytes <= 0 ||
      bytes >= MPIPP_LARGE || low < mpipp_filter_first_beyond || high - low < bytes ||
      __builtin_add_overflow(high, bytes, &high))
    return 0;
  call->low = (uint64_t)low;
  call->high = (uint64_t)high;
  return 1;
}

void mpipp_filter_remember_reduction(const struct mpipp_call *call) {
  if (mpipp_facts[call->procedure].form != MPIPP_FORM_BLOCKING || !is_simple(call)) return;
  const struct mpipp_buffer *one = &call->buffers[0];
  const struct mpipp_object *op = mpipp_find_live(MPIPP_OP, call->op);
  const struct mpipp_object *type = (const void *)(uintptr_t)one->record;
  if (op && type && MPIPP_READ(op->flags) & MPIPP_READ(type->flags) & MPIPP_FLAG_PREDEFINED)
    *place_of(call) = (struct mpipp_reduction){
        call->op, one->record, call->procedure, {one->access, call->buffers[1].access}};
}
