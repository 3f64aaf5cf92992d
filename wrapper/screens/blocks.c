// SPDX-License-Identifier: MIT
#include "screens/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/vendor.h"
#include "records/store.h"

enum { MOST_BLOCKS = 4096, MOST_STEPS = 1 << 15, MOST_NESTED = 16 };

struct block {
  uint64_t low, high;
};

// The blocks of one buffer, in the order of the type map; those that follow each other are one.
struct blocks {
  uint32_t count, steps, nested;
  int ordered;
  struct block all[MOST_BLOCKS];
};

static int add(struct blocks *blocks, uint64_t low, uint64_t high) {
  struct block *last = blocks->count ? &blocks->all[blocks->count - 1] : NULL;
  if (low >= high) return 0;
  if (last && last->high == low) {
    last->high = high;
    return 1;
  }
  if (blocks->count == MOST_BLOCKS) return 0;
  if (last && low < last->high) blocks->ordered = 0;
  blocks->all[blocks->count++] = (struct block){low, high};
  return 1;
}

static const struct mpipp_datatype *component(const struct mpipp_datatype *type, uint32_t i) {
  return (const void *)(uintptr_t)((const uint64_t *)(uintptr_t)type->components)[i];
}

static int entries(struct blocks *blocks, const struct mpipp_datatype *type, uint64_t address,
                   int64_t count);

// What the arguments of a constructor of blocks say: entry, and bytes between what they count in.
struct placed {
  const int64_t *lengths, *displacements;
  int64_t count, stride;
  int one_length, of_struct;
};

static int placed(struct blocks *blocks, const struct mpipp_datatype *type, uint64_t address,
                  struct placed at) {
  for (int64_t i = 0; i < at.count; i++) {
    if (++blocks->steps > MOST_STEPS) return 0;
    const struct mpipp_datatype *part = component(type, at.of_struct ? (uint32_t)i : 0);
    int64_t unit = at.stride ? at.stride : part ? part->extent : 0;
    int64_t steps = at.displacements ? at.displacements[i] : i, offset;
    if (!part || __builtin_mul_overflow(steps, unit, &offset)) return 0;
    if (!entries(blocks, part, address + (uint64_t)offset, at.lengths[at.one_length ? 0 : i]))
      return 0;
  }
  return 1;
}

// ndims, sizes, subsizes, starts, order: rows of the dimension that lies closest in memory.
static int subarray(struct blocks *blocks, const struct mpipp_datatype *type, uint64_t address) {
  const int64_t *arguments = (const int64_t *)(uintptr_t)type->arguments, n = arguments[0];
  const int64_t *sizes = arguments + 1, *subsizes = sizes + n, *starts = subsizes + n;
  enum { MOST_DIMENSIONS = 8 };
  const struct mpipp_datatype *part = component(type, 0);
  if (!part || n < 1 || n > MOST_DIMENSIONS || type->argument_count != 2 + 3 * (uint64_t)n)
    return 0;
  int fortran = arguments[1 + 3 * n] == MPIPP_ORDER_FORTRAN;
  int64_t strides[MOST_DIMENSIONS], index[MOST_DIMENSIONS] = {0}, stride = part->extent;
  for (int64_t i = 0; i < n; i++) { // from the closest one on
    int64_t d = fortran ? i : n - 1 - i, offset;
    strides[i] = stride;
    if (subsizes[d] < 1 || __builtin_mul_overflow(starts[d], stride, &offset) ||
        __builtin_mul_overflow(stride, sizes[d], &stride))
      return 0;
    address += (uint64_t)offset;
  }
  for (;;) {
    uint64_t row = address;
    for (int64_t i = 1; i < n; i++) row += (uint64_t)(index[i] * strides[i]);
    if (!entries(blocks, part, row, subsizes[fortran ? 0 : n - 1])) return 0;
    int64_t i = 1;
    for (; i < n; i++) {
      if (++index[i] < subsizes[fortran ? i : n - 1 - i]) break;
      index[i] = 0;
    }
    if (i >= n) return 1;
  }
}

static int entry(struct blocks *blocks, const struct mpipp_datatype *type, uint64_t address) {
  const int64_t *arguments = (const int64_t *)(uintptr_t)type->arguments, n = arguments[0];
  struct placed at = {.count = n, .lengths = arguments + 1};
  switch (type->combiner) {
  case MPIPP_COMBINER_CONTIGUOUS:
    at = (struct placed){.count = 1, .lengths = arguments};
    break;
  case MPIPP_COMBINER_VECTOR:
  case MPIPP_COMBINER_HVECTOR:
    at.one_length = 1;
    at.stride = arguments[2];
    if (type->combiner == MPIPP_COMBINER_VECTOR &&
        __builtin_mul_overflow(at.stride, component(type, 0)->extent, &at.stride))
      return 0;
    if (!at.stride && n > 1) return 0;
    break;
  case MPIPP_COMBINER_INDEXED:
  case MPIPP_COMBINER_HINDEXED:
  case MPIPP_COMBINER_STRUCT:
    at.displacements = arguments + 1 + n;
    at.of_struct = type->combiner == MPIPP_COMBINER_STRUCT;
    at.stride = type->combiner != MPIPP_COMBINER_INDEXED;
    break;
  case MPIPP_COMBINER_INDEXED_BLOCK:
  case MPIPP_COMBINER_HINDEXED_BLOCK:
    at.one_length = 1;
    at.displacements = arguments + 2;
    at.stride = type->combiner == MPIPP_COMBINER_HINDEXED_BLOCK;
    break;
  case MPIPP_COMBINER_SUBARRAY:
    return subarray(blocks, type, address);
  default:
    return 0;
  }
  return placed(blocks, type, address, at);
}

// Whether the arguments that `entry` reads are there.
static int is_whole(const struct mpipp_datatype *type) {
  static const uint8_t most[] = {
      [MPIPP_COMBINER_CONTIGUOUS] = 1, [MPIPP_COMBINER_VECTOR] = 3, [MPIPP_COMBINER_HVECTOR] = 3};
  const int64_t *arguments = (const int64_t *)(uintptr_t)type->arguments;
  uint64_t count = type->argument_count;
  if (!arguments || !count || arguments[0] < 0 || !type->component_count || !component(type, 0))
    return 0;
  if (type->combiner < sizeof most && most[type->combiner]) return count >= most[type->combiner];
  uint64_t n = (uint64_t)arguments[0];
  switch (type->combiner) {
  case MPIPP_COMBINER_STRUCT:
    return count == 1 + 2 * n && type->component_count == n;
  case MPIPP_COMBINER_INDEXED:
  case MPIPP_COMBINER_HINDEXED:
    return count == 1 + 2 * n;
  case MPIPP_COMBINER_INDEXED_BLOCK:
  case MPIPP_COMBINER_HINDEXED_BLOCK:
    return count == 2 + n;
  default:
    return 1;
  }
}

// What is predefined is taken for all of its true extent.
static int entries(struct blocks *blocks, const struct mpipp_datatype *type, uint64_t address,
                   int64_t count) {
  if (count <= 0 || type->size == 0) return count >= 0;
  if (++blocks->steps > MOST_STEPS) return 0;
  int plain = (MPIPP_READ(type->object.flags) & MPIPP_FLAG_PREDEFINED) != 0;
  if (plain && type->true_extent == type->extent) {
    uint64_t low = address + (uint64_t)type->true_lb, bytes;
    return !__builtin_mul_overflow((uint64_t)count, (uint64_t)type->extent, &bytes) &&
           add(blocks, low, low + bytes);
  }
  if (type->combiner == MPIPP_COMBINER_DUP || type->combiner == MPIPP_COMBINER_RESIZED) {
    if (!type->component_count || !component(type, 0)) return 0;
  } else if (!plain && !is_whole(type)) {
    return 0;
  }
  if (++blocks->nested > MOST_NESTED) return 0;
  int fine = 1;
  for (int64_t i = 0; fine && i < count; i++, address += (uint64_t)type->extent) {
    uint64_t low = address + (uint64_t)type->true_lb;
    if (plain)
      fine = add(blocks, low, low + (uint64_t)type->true_extent);
    else if (type->combiner == MPIPP_COMBINER_DUP || type->combiner == MPIPP_COMBINER_RESIZED)
      fine = entries(blocks, component(type, 0), address, 1);
    else
      fine = entry(blocks, type, address);
  }
  blocks->nested--;
  return fine;
}

static int compare(const void *first, const void *second) {
  const struct block *one = first, *other = second;
  return one->low < other->low ? -1 : one->low > other->low;
}

// The blocks in the order of their addresses; 0 if there are too many.
static int blocks_of(const struct mpipp_buffer *buffer, struct blocks *blocks) {
  const struct mpipp_datatype *type = (const void *)(uintptr_t)buffer->record;
  int64_t count = buffer->count;
  blocks->count = blocks->steps = blocks->nested = 0;
  blocks->ordered = 1;
  if (!type || buffer->vector || __builtin_mul_overflow(count, buffer->peers, &count)) return 0;
  if (!entries(blocks, type, buffer->address, count)) return 0;
  if (!blocks->ordered) qsort(blocks->all, blocks->count, sizeof *blocks->all, compare);
  return 1;
}

int mpipp_is_apart_from_itself(const struct mpipp_buffer *buffer) {
  struct blocks *blocks = mpipp_allocate(sizeof *blocks);
  int apart = blocks && blocks_of(buffer, blocks);
  for (uint32_t i = 1; apart && i < blocks->count; i++)
    apart = blocks->all[i].low >= blocks->all[i - 1].high;
  mpipp_free(blocks);
  return apart;
}

int mpipp_share_nothing(const struct mpipp_buffer *one, const struct mpipp_buffer *other) {
  struct blocks *first = mpipp_allocate(sizeof *first), *second = mpipp_allocate(sizeof *second);
  int apart = first && second && blocks_of(one, first) && blocks_of(other, second);
  // Of one that overlaps itself the highest address so far need not be the last block's.
  uint64_t firsts = 0, seconds = 0;
  for (uint32_t i = 0, k = 0; apart && (i < first->count || k < second->count);) {
    int is_first =
        k == second->count || (i < first->count && first->all[i].low < second->all[k].low);
    const struct block *next = is_first ? &first->all[i++] : &second->all[k++];
    uint64_t *own = is_first ? &firsts : &seconds;
    apart = next->low >= (is_first ? seconds : firsts);
    if (next->high > *own) *own = next->high;
  }
  mpipp_free(first);
  mpipp_free(second);
  return apart;
}
