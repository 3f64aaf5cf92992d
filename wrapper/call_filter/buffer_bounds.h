// SPDX-License-Identifier: MIT
// The addresses of a call's buffers, and whether they certainly are as the standard demands.
#ifndef MPIPP_CALL_FILTER_BUFFER_BOUNDS_H
#define MPIPP_CALL_FILTER_BUFFER_BOUNDS_H

#include "abi/vendor.h"
#include "call_filter/pending_buffers.h"
#include "call_filter/read_only_memory.h"
#include "generated/facts.h"
#include "recorder/ledger/datatype_interning.h"
#include "registry/window_extents.h"

// The boxes of a call's buffers.
struct mpipp_own {
  uint32_t count, over;
  struct mpipp_box boxes[MPIPP_MAX_BUFFERS];
};

// The facts that the answer to a query depends on: two sums of all facts that were added, in order.
// Without a doubt (NULL) there is no query: a doubt that exists only since boxes are not exact is
// resolved here, block by block.
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

// [low, high) of count entries, count > 0; 0 if that is more than memory has.
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

// Returns whether a buffer is where its memory may be, and writes no constant. bytes: of its data.
static inline int mpipp_is_placed(uint64_t low, uint64_t high, uint32_t writes, uint64_t bytes) {
  if (MPIPP_UNLIKELY(bytes >= MPIPP_LARGE) && bytes == high - low &&
      !mpipp_filter_is_mapped(low, high))
    return 0;
  // Between distant blocks there may be anything.
  if (MPIPP_UNLIKELY(high - low >= MPIPP_WIDE) && bytes != high - low &&
      !mpipp_filter_are_ends_mapped(low, high))
    return 0;
  if (MPIPP_LIKELY((int64_t)low >= mpipp_filter_first_beyond)) return 1;
  return low >= MPIPP_FIRST_ADDRESS && !(writes && mpipp_meets_constants(low, high));
}

// A number for the construction of a datatype, which differs for datatypes that are built
// otherwise.
uint64_t mpipp_filter_shape_of(uint64_t record, uint64_t handle);

// The box of a buffer in this process, [0, 0) if it has no data there. Returns whether nothing can
// be wrong with it by itself; else `doubt` has the facts that decide. Large buffers, whose bounds
// do not fit, are doubtful, too.
int mpipp_filter_box_of(const struct mpipp_call *call, uint32_t index, struct mpipp_box *box,
                        struct mpipp_doubt *doubt);
// Returns whether two buffers of a call share no memory, as far as the boxes show, or are only
// read.
int mpipp_filter_are_disjoint(const struct mpipp_call *call, const struct mpipp_box *boxes,
                              uint32_t first, uint32_t second, struct mpipp_doubt *doubt);
// The bytes [low, high) behind the displacement that a target buffer uses. Returns 0 if that is
// more than memory has, or if there are none; low and high distinguish the two.
int mpipp_filter_bytes_behind(const struct mpipp_buffer *buffer, int64_t *low, int64_t *high);
// Returns whether a buffer of the target is inside that window.
int mpipp_filter_is_within(const struct mpipp_buffer *buffer, const struct mpipp_reach *window);
// Adds all facts that the buffer's bytes depend on, except its address.
void mpipp_filter_doubt_buffer(const struct mpipp_call *call, uint32_t index,
                               struct mpipp_doubt *doubt);

#endif
