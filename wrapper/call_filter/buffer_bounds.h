// SPDX-License-Identifier: MIT
// The addresses of a call's buffers, and whether they are certainly valid.
#ifndef MPIPP_CALL_FILTER_BUFFER_BOUNDS_H
#define MPIPP_CALL_FILTER_BUFFER_BOUNDS_H

#include "abi/vendor.h"
#include "call_filter/pending_buffers.h"
#include "call_filter/read_only_memory.h"
#include "generated/facts.h"
#include "recorder/ledger/datatype_interning.h"
#include "registry/window_extents.h"

// The boxes (address ranges) of a call's buffers.
struct mpipp_own {
  uint32_t count, over;
  struct mpipp_box boxes[MPIPP_MAX_BUFFERS];
};

// A doubt: a hash of the facts that the answer to a query depends on, in two sums. A NULL doubt
// means that the filter must not query: if boxes overlap that are not exact, the filter compares
// the buffers block by block.
struct mpipp_doubt {
  uint64_t low, high;
};

static inline void mpipp_doubt(struct mpipp_doubt *doubt, uint64_t word) {
  if (!doubt) return;
  doubt->low = (doubt->low ^ word) * 0xBF58476D1CE4E5B9u;
  doubt->low ^= doubt->low >> 29;
  doubt->high = (doubt->high + word) * 0x94D049BB133111EBu;
  doubt->high ^= doubt->high >> 31;
}

static inline int mpipp_doubt_reason(struct mpipp_doubt *doubt, uint64_t why, uint64_t what) {
  mpipp_doubt(doubt, why << 32);
  mpipp_doubt(doubt, what);
  return 0;
}

// Returns whether a datatype is committed, not freed, and not a null handle.
static inline int mpipp_is_usable(const struct mpipp_datatype *type) {
  const uint32_t flags = MPIPP_READ(type->object.flags);
  return flags & (MPIPP_FLAG_PREDEFINED | MPIPP_FLAG_COMMITTED) &&
         !(flags & (MPIPP_FLAG_ENDED | MPIPP_FLAG_NULL));
}

// The box [low, high) of `count` entries, count > 0. Returns 0 if it exceeds the address space.
static inline int mpipp_bounds(const struct mpipp_datatype *type, uint64_t address, int64_t count,
                               uint64_t *low, uint64_t *high) {
  int64_t reach;
  if (MPIPP_LIKELY(count == 1)) {
    reach = 0;
  } else if (__builtin_mul_overflow(count - 1, type->extent, &reach)) {
    return 0;
  }
  uint64_t start = address + (uint64_t)type->true_lb;
  *low = reach < 0 ? start + (uint64_t)reach : start;
  *high = (reach < 0 ? start : start + (uint64_t)reach) + (uint64_t)type->true_extent;
  return *low < *high && *high < (uint64_t)1 << 63;
}

// Returns whether memory may exist at a buffer's address, and a written buffer is not constant
// data. bytes: the number of data bytes.
static inline int mpipp_is_placed(uint64_t low, uint64_t high, uint32_t writes, uint64_t bytes) {
  if (MPIPP_UNLIKELY(bytes >= MPIPP_LARGE) && bytes == high - low &&
      !mpipp_filter_is_mapped(low, high))
    return 0;
  // If the blocks are far apart, anything may be between them: only the ends are tested.
  if (MPIPP_UNLIKELY(high - low >= MPIPP_WIDE) && bytes != high - low &&
      !mpipp_filter_are_ends_mapped(low, high))
    return 0;
  if (MPIPP_LIKELY((int64_t)low >= mpipp_filter_first_beyond)) return 1;
  return low >= MPIPP_FIRST_ADDRESS && !(writes && mpipp_meets_constants(low, high));
}

// A number that is equal for datatypes with the same construction, and differs for others.
uint64_t mpipp_filter_shape_of(uint64_t record, uint64_t handle);

// The box of a buffer in this process; [0, 0) if it has no data there. Returns whether the buffer
// alone is certainly valid; otherwise adds the facts that decide to `doubt`. Very large buffers,
// whose bounds overflow, are doubtful, too.
int mpipp_filter_box_of(const struct mpipp_call *call, uint32_t index, struct mpipp_box *box,
                        struct mpipp_doubt *doubt);
// Returns whether no two buffers of the call overlap, or only buffers that are read, as far as
// their boxes show.
int mpipp_filter_are_disjoint(const struct mpipp_call *call, const struct mpipp_box *boxes,
                              uint32_t first, uint32_t second, struct mpipp_doubt *doubt);
// The bytes [low, high) that a target buffer uses, relative to its displacement. Returns 0 if they
// exceed the address space, or if there are none; then low and high distinguish the two.
int mpipp_filter_bytes_behind(const struct mpipp_buffer *buffer, int64_t *low, int64_t *high);
// Returns whether a target buffer is inside that window.
int mpipp_filter_is_within(const struct mpipp_buffer *buffer, const struct mpipp_reach *window);
// Adds all facts that determine the buffer's bytes, except its address.
void mpipp_filter_doubt_buffer(const struct mpipp_call *call, uint32_t index,
                               struct mpipp_doubt *doubt);

#endif
