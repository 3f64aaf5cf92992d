// SPDX-License-Identifier: MIT
#include "call_filter/buffer_bounds.h"

#include <string.h>

#include "call_filter/block_overlap.h"
#include "call_filter/integer_arguments.h"
#include "layout/block_iterator.h"

enum { MOST_SORTED = 4096 };

// The reasons for a doubt about a buffer.
enum { OF_TYPE = 1, OF_COUNT, OF_PLACE, OF_ADDRESS, OF_ITSELF, OF_SHARES, OF_BOUNDS, OF_BOTH };

static const struct mpipp_datatype *record_at(uint64_t record) {
  return (const struct mpipp_datatype *)(uintptr_t)record;
}

uint64_t mpipp_filter_shape_of(uint64_t record, uint64_t handle) {
  uint64_t alike = mpipp_equal_datatype(record);
  if (alike || !record) return alike;
  int locked = mpipp_registry_lock_slow();
  alike = mpipp_recorder_equal_datatype_locked(record, handle);
  if (locked) mpipp_registry_unlock();
  return alike ? alike : record;
}

// Returns whether consecutive entries are disjoint, provided that a single entry does not overlap
// itself.
static int is_disjoint(const struct mpipp_datatype *type) {
  int64_t extent = type->extent < 0 ? -type->extent : type->extent;
  return type->true_extent <= extent;
}

static int doubt_buffer(struct mpipp_doubt *doubt, uint64_t why, uint64_t index, uint64_t what) {
  mpipp_doubt(doubt, why << 32 | index);
  mpipp_doubt(doubt, what);
  return 0;
}

// Returns whether the shares of peers are disjoint. The displacements need not be in order.
static int are_disjoint(const struct mpipp_piece *given, uint64_t count) {
  struct mpipp_piece *sorted =
      count <= MOST_SORTED ? mpipp_registry_allocate(count * sizeof *sorted) : NULL;
  if (!sorted) return 0;
  memcpy(sorted, given, count * sizeof *sorted);
  mpipp_layout_pieces_sort(sorted, count);
  int apart = 1;
  for (uint64_t i = 1; i < count; i++) apart &= sorted[i].low >= sorted[i - 1].high;
  mpipp_registry_free(sorted);
  return apart;
}

static uint64_t hash_of(uint64_t array, uint64_t length, uint32_t size) {
  uint64_t hash = length;
  for (uint64_t i = 0; array && i < length; i++) {
    hash = (hash ^ (uint64_t)mpipp_vector_value(array, i, size)) * 0xBF58476D1CE4E5B9u;
    hash ^= hash >> 29;
  }
  return hash;
}

// The datatype of a peer's share; NULL if it is unknown. *usable: whether the call may use it.
static const struct mpipp_datatype *type_of(const struct mpipp_buffer *buffer,
                                            const struct mpipp_vector *vector, uint64_t index,
                                            int *usable) {
  uint64_t record = buffer->record;
  if (vector->records) {
    record = ((const uint64_t *)(uintptr_t)vector->records)[index];
  } else if (vector->datatypes) {
    const MPI_Datatype *types = (const MPI_Datatype *)(uintptr_t)vector->datatypes;
    record = (uintptr_t)mpipp_find(MPIPP_DATATYPE, MPIPP_KEY(types[index]));
  }
  const struct mpipp_datatype *type = record_at(record);
  // A pending operation keeps its datatypes alive, so the program may have freed them.
  *usable = type && (vector->records || mpipp_is_usable(type));
  return type;
}

// Returns whether displacements look like values beyond INT_MAX that have wrapped around.
static int may_have_wrapped(int64_t least, int64_t most) {
  return least < 0 && most - least > INT32_MAX / 2;
}

static int box_of_shares(const struct mpipp_call *call, uint32_t index, struct mpipp_box *box,
                         struct mpipp_doubt *doubt) {
  const struct mpipp_buffer *buffer = &call->buffers[index];
  const struct mpipp_vector *vector = &call->vectors[buffer->vector - 1];
  uint64_t n = vector->length, used = 0, followed = 0;
  if (!vector->counts) return doubt_buffer(doubt, OF_SHARES, index, 0);
  int writes = (buffer->access & MPIPP_WRITES) != 0, ordered = 1, apart = 1, simple = 1;
  struct mpipp_piece few[64], *shares = few;
  if (writes && n > 64)
    shares = n <= MOST_SORTED ? mpipp_registry_allocate(n * sizeof *shares) : NULL;
  uint64_t low = ~(uint64_t)0, high = 0;
  int64_t least = 0, most = 0;
  for (uint64_t i = 0; i < n; i++) {
    int64_t count = mpipp_vector_value(vector->counts, i, vector->count_size);
    int usable;
    const struct mpipp_datatype *type = type_of(buffer, vector, i, &usable);
    if (count < 0 || !usable) simple = 0;
    if (count <= 0 || !type || type->size == 0) continue;
    int64_t displacement = vector->displacements ? mpipp_vector_value(vector->displacements, i,
                                                                      vector->displacement_size)
                                                 : (int64_t)followed;
    if (displacement < least) least = displacement;
    if (displacement > most) most = displacement;
    if (!vector->datatypes) displacement *= type->extent;
    followed += (uint64_t)count;
    struct mpipp_piece one;
    uint64_t address = buffer->address + (uint64_t)displacement;
    if (!mpipp_bounds(type, address, count, &one.low, &one.high)) {
      simple = 0;
      continue;
    }
    int plain = MPIPP_READ(type->object.flags) & MPIPP_FLAG_PREDEFINED;
    if (one.low < high) ordered = 0;
    if (!plain || !is_disjoint(type)) apart = 0;
    if (one.low < low) low = one.low;
    if (one.high > high) high = one.high;
    if (writes && shares) shares[used] = one;
    used++;
  }
  if (low < high) {
    box->low = low;
    box->high = high;
  }
  int placed = low >= high || mpipp_is_placed(low, high, (uint32_t)writes, 0),
      fine = simple && placed && !may_have_wrapped(least, most);
  if (fine && writes) fine = apart && (ordered || (shares && are_disjoint(shares, used)));
  if (shares != few) mpipp_registry_free(shares);
  if (fine) return 1;
  mpipp_filter_doubt_buffer(call, index, doubt);
  return doubt_buffer(doubt, OF_SHARES, index, placed ? 0 : low);
}

void mpipp_filter_doubt_buffer(const struct mpipp_call *call, uint32_t index,
                               struct mpipp_doubt *doubt) {
  const struct mpipp_buffer *buffer = &call->buffers[index];
  mpipp_doubt(doubt, (uint64_t)buffer->access << 32 | index);
  mpipp_doubt(doubt, mpipp_filter_shape_of(buffer->record, buffer->datatype));
  mpipp_doubt(doubt, (uint64_t)buffer->count);
  mpipp_doubt(doubt, (uint64_t)buffer->peers);
  if (!buffer->vector) return;
  const struct mpipp_vector *vector = &call->vectors[buffer->vector - 1];
  mpipp_doubt(doubt, hash_of(vector->counts, vector->length, vector->count_size));
  mpipp_doubt(doubt, hash_of(vector->displacements, vector->length, vector->displacement_size));
  for (uint64_t i = 0; vector->datatypes && i < vector->length; i++) {
    uint64_t key = MPIPP_KEY(((const MPI_Datatype *)(uintptr_t)vector->datatypes)[i]);
    uint64_t record = vector->records ? ((const uint64_t *)(uintptr_t)vector->records)[i]
                                      : (uint64_t)(uintptr_t)mpipp_find(MPIPP_DATATYPE, key);
    mpipp_doubt(doubt, mpipp_filter_shape_of(record, key));
  }
}

int mpipp_filter_box_of(const struct mpipp_call *call, uint32_t index, struct mpipp_box *box,
                        struct mpipp_doubt *doubt) {
  const struct mpipp_buffer *buffer = &call->buffers[index];
  int writes = (buffer->access & MPIPP_WRITES) != 0;
  *box = (struct mpipp_box){.writes = (uint32_t)writes, .buffer = index};
  int is_local = !(buffer->access & MPIPP_REMOTE);
  if (MPIPP_UNLIKELY(buffer->address == (uintptr_t)MPI_IN_PLACE) && is_local)
    return doubt_buffer(doubt, OF_PLACE, index, 0);
  if (MPIPP_UNLIKELY(buffer->vector)) return box_of_shares(call, index, box, doubt);
  const struct mpipp_datatype *type = record_at(buffer->record);
  int usable = type && !(buffer->access & MPIPP_STALE) && mpipp_is_usable(type);
  if (MPIPP_UNLIKELY(!usable)) {
    doubt_buffer(doubt, OF_TYPE, index, buffer->datatype);
    mpipp_doubt(doubt, (uint64_t)(buffer->count == 0) << 32 | (type ? type->object.flags : 0));
  }
  if (MPIPP_UNLIKELY(!type)) return 0;
  if (MPIPP_UNLIKELY(buffer->count < 0))
    return doubt_buffer(doubt, OF_COUNT, index, (uint64_t)buffer->count);
  int64_t count = buffer->count;
  if (MPIPP_UNLIKELY(buffer->peers != 1) &&
      __builtin_mul_overflow(count, buffer->peers > 0 ? buffer->peers : 0, &count))
    return doubt_buffer(doubt, OF_BOUNDS, index, (uint64_t)buffer->count);
  if (!is_local || count == 0 || type->size == 0) return usable;
  if (MPIPP_UNLIKELY(!mpipp_bounds(type, buffer->address, count, &box->low, &box->high))) {
    box->low = box->high = 0;
    return doubt_buffer(doubt, OF_BOUNDS, index, (uint64_t)buffer->count);
  }
  if (MPIPP_UNLIKELY(!mpipp_is_placed(box->low, box->high, box->writes,
                                      (uint64_t)count * (uint64_t)type->size))) {
    mpipp_filter_doubt_buffer(call, index, doubt);
    return doubt_buffer(doubt, OF_ADDRESS, index, box->low);
  }
  if (!writes || MPIPP_READ(type->object.flags) & MPIPP_FLAG_PREDEFINED) return usable;
  if (!doubt) return usable && mpipp_filter_is_self_disjoint(buffer);
  mpipp_doubt(doubt, OF_ITSELF);
  mpipp_doubt(doubt, mpipp_filter_shape_of(buffer->record, buffer->datatype));
  if (!is_disjoint(type)) mpipp_doubt(doubt, (uint64_t)count);
  return 0;
}

int mpipp_filter_are_disjoint(const struct mpipp_call *call, const struct mpipp_box *boxes,
                              uint32_t first, uint32_t second, struct mpipp_doubt *doubt) {
  const struct mpipp_box *one = &boxes[first], *other = &boxes[second];
  if (one->high <= other->low || other->high <= one->low || !(one->writes | other->writes))
    return 1;
  if (!doubt) return mpipp_filter_are_separate(&call->buffers[first], &call->buffers[second]);
  mpipp_filter_doubt_buffer(call, first, doubt);
  mpipp_filter_doubt_buffer(call, second, doubt);
  return doubt_buffer(doubt, OF_BOTH, first << 8 | second,
                      call->buffers[second].address - call->buffers[first].address);
}

int mpipp_filter_bytes_behind(const struct mpipp_buffer *buffer, int64_t *low, int64_t *high) {
  const struct mpipp_datatype *type = record_at(buffer->record);
  int64_t reach;
  *low = *high = 0;
  if (!type || buffer->count <= 0 || type->size == 0)
    return 0; // or another check has a doubt
              // about it
  if (__builtin_mul_overflow(buffer->count - 1, type->extent, &reach)) {
    *high = INT64_MAX;
    return 0;
  }
  *low = type->true_lb + (reach < 0 ? reach : 0);
  *high = type->true_lb + type->true_extent + (reach > 0 ? reach : 0);
  return 1;
}

int mpipp_filter_is_within(const struct mpipp_buffer *buffer, const struct mpipp_reach *window) {
  int64_t low, high, start;
  if (!mpipp_filter_bytes_behind(buffer, &low, &high)) return high == 0;
  return !__builtin_mul_overflow((int64_t)buffer->address, window->disp_unit, &start) &&
         !__builtin_add_overflow(start, low, &low) && !__builtin_add_overflow(start, high, &high) &&
         low >= 0 && high <= window->size;
}
