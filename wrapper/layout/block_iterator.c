// SPDX-License-Identifier: MIT
#include "layout/block_iterator.h"

#include <stddef.h>

#include "abi/vendor.h"
#include "registry/object_store.h"

enum {
  MOST_STEPS = 8,
  MOST_NESTED = 16
}; // MOST_STEPS: largest number of steps for each block of the capacity

static int add(struct mpipp_layout *layout, uint64_t low, uint64_t high) {
  struct mpipp_piece *last = layout->count ? &layout->all[layout->count - 1] : NULL;
  if (low >= high) return 0;
  if (last && last->high == low) {
    last->high = high;
    return 1;
  }
  if (layout->count == layout->room) return 0;
  if (last && low < last->high) layout->ordered = 0;
  layout->all[layout->count++] = (struct mpipp_piece){low, high};
  return 1;
}

static const struct mpipp_datatype *component(const struct mpipp_datatype *type, uint32_t i) {
  return (const void *)(uintptr_t)((const uint64_t *)(uintptr_t)type->components)[i];
}

static int add_entries(struct mpipp_layout *layout, const struct mpipp_datatype *type,
                       uint64_t address, int64_t count);

// The arguments of a constructor of blocks: their datatype, and the bytes of the unit in which they
// count.
struct mpipp_block_arguments {
  const int64_t *lengths, *displacements;
  int64_t count, stride;
  int one_length, of_struct;
};

static int add_blocks(struct mpipp_layout *layout, const struct mpipp_datatype *type,
                      uint64_t address, struct mpipp_block_arguments at) {
  for (int64_t i = 0; i < at.count; i++) {
    if (++layout->steps > MOST_STEPS * layout->room) return 0;
    const struct mpipp_datatype *part = component(type, at.of_struct ? (uint32_t)i : 0);
    int64_t unit = at.stride ? at.stride : part ? part->extent : 0;
    int64_t steps = at.displacements ? at.displacements[i] : i, offset;
    if (!part || __builtin_mul_overflow(steps, unit, &offset)) return 0;
    if (!add_entries(layout, part, address + (uint64_t)offset, at.lengths[at.one_length ? 0 : i]))
      return 0;
  }
  return 1;
}

// Arguments: ndims, sizes, subsizes, starts, order. Adds the rows along the dimension that is
// contiguous in memory.
static int add_subarray(struct mpipp_layout *layout, const struct mpipp_datatype *type,
                        uint64_t address) {
  const int64_t *arguments = (const int64_t *)(uintptr_t)type->arguments, n = arguments[0];
  const int64_t *sizes = arguments + 1, *subsizes = sizes + n, *starts = subsizes + n;
  enum { MOST_DIMENSIONS = 8 };
  const struct mpipp_datatype *part = component(type, 0);
  if (!part || n < 1 || n > MOST_DIMENSIONS || type->argument_count != 2 + 3 * (uint64_t)n)
    return 0;
  int fortran = arguments[1 + 3 * n] == MPIPP_ORDER_FORTRAN;
  int64_t strides[MOST_DIMENSIONS], index[MOST_DIMENSIONS] = {0}, stride = part->extent;
  for (int64_t i = 0; i < n; i++) { // from the contiguous dimension outwards
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
    if (!add_entries(layout, part, row, subsizes[fortran ? 0 : n - 1])) return 0;
    int64_t i = 1;
    for (; i < n; i++) {
      if (++index[i] < subsizes[fortran ? i : n - 1 - i]) break;
      index[i] = 0;
    }
    if (i >= n) return 1;
  }
}

// A process's part of one dimension of a distributed array: blocks of `length` elements, each
// `stride` after the previous one, within [0, size).
struct mpipp_dimension {
  int64_t size, first, length, stride;
};

static int64_t end_of(const struct mpipp_dimension *dimension, int64_t start) {
  return start + dimension->length < dimension->size ? start + dimension->length : dimension->size;
}

static struct mpipp_dimension distribute(int64_t size, int64_t distribution, int64_t argument,
                                         int64_t processes, int64_t coordinate) {
  if (distribution == MPIPP_DISTRIBUTE_NONE || processes < 1)
    return (struct mpipp_dimension){size, 0, size, size};
  int is_block = distribution == MPIPP_DISTRIBUTE_BLOCK;
  int64_t length = argument;
  if (argument == MPIPP_DISTRIBUTE_DFLT_DARG) length = is_block ? (size - 1) / processes + 1 : 1;
  return (struct mpipp_dimension){size, coordinate * length, length,
                                  is_block ? size : processes * length};
}

// Adds the dimensions from the outermost inwards; the innermost one has the rows.
static int add_rows(struct mpipp_layout *layout, const struct mpipp_datatype *part,
                    const struct mpipp_dimension *dimensions, int64_t count, uint64_t address) {
  int64_t bytes = part->extent;
  for (int64_t i = 1; i < count; i++) bytes *= dimensions[i].size;
  for (int64_t start = dimensions->first; start < dimensions->size; start += dimensions->stride) {
    int64_t end = end_of(dimensions, start);
    if (count == 1 && !add_entries(layout, part, address + (uint64_t)(start * bytes), end - start))
      return 0;
    for (int64_t i = start; count > 1 && i < end; i++) {
      if (++layout->steps > MOST_STEPS * layout->room) return 0;
      if (!add_rows(layout, part, dimensions + 1, count - 1, address + (uint64_t)(i * bytes)))
        return 0;
    }
  }
  return 1;
}

// Arguments: size, rank, ndims, gsizes, distribs, dargs, psizes, order. The processes are in
// row-major order.
static int add_darray(struct mpipp_layout *layout, const struct mpipp_datatype *type,
                      uint64_t address) {
  enum { MOST_DIMENSIONS = 8 };
  const int64_t *arguments = (const int64_t *)(uintptr_t)type->arguments;
  int64_t n = type->argument_count > 3 ? arguments[2] : 0;
  if (n < 1 || n > MOST_DIMENSIONS || type->argument_count != 4 + 4 * (uint64_t)n) return 0;
  const int64_t *gsizes = arguments + 3, *distribs = gsizes + n, *dargs = distribs + n;
  const int64_t *psizes = dargs + n;
  struct mpipp_dimension dimensions[MOST_DIMENSIONS];
  int64_t rank = arguments[1], all = 1;
  for (int64_t i = n - 1; i >= 0; i--) {
    if (psizes[i] < 1 || gsizes[i] < 1 || __builtin_mul_overflow(all, gsizes[i], &all)) return 0;
    int64_t at = psizes[n] == MPIPP_ORDER_FORTRAN ? n - 1 - i : i;
    dimensions[at] = distribute(gsizes[i], distribs[i], dargs[i], psizes[i], rank % psizes[i]);
    if (dimensions[at].length < 1 || dimensions[at].stride < 1) return 0;
    rank /= psizes[i];
  }
  return add_rows(layout, component(type, 0), dimensions, n, address);
}

static int add_entry(struct mpipp_layout *layout, const struct mpipp_datatype *type,
                     uint64_t address) {
  const int64_t *arguments = (const int64_t *)(uintptr_t)type->arguments, n = arguments[0];
  struct mpipp_block_arguments at = {.count = n, .lengths = arguments + 1};
  switch (type->combiner) {
  case MPIPP_COMBINER_CONTIGUOUS:
    at = (struct mpipp_block_arguments){.count = 1, .lengths = arguments};
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
    return add_subarray(layout, type, address);
  case MPIPP_COMBINER_DARRAY:
    return add_darray(layout, type, address);
  default:
    return 0;
  }
  return add_blocks(layout, type, address, at);
}

// Returns whether the record has the arguments that `add_entry` reads.
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

// Adds the other entries after one was added. If its bytes from `low` on fill its extent, then all
// entries form one block.
static int add_contiguous(struct mpipp_layout *layout, uint64_t low, int64_t extent,
                          int64_t others) {
  struct mpipp_piece *last = &layout->all[layout->count - 1];
  uint64_t bytes;
  if (last->high - low != (uint64_t)extent) return 0;
  if (__builtin_mul_overflow((uint64_t)extent, (uint64_t)others, &bytes)) return 0;
  last->high += bytes;
  return 1;
}

// Assumes that a predefined datatype has no gaps in its true extent.
static int add_entries(struct mpipp_layout *layout, const struct mpipp_datatype *type,
                       uint64_t address, int64_t count) {
  if (count <= 0 || type->size == 0) return count >= 0;
  if (++layout->steps > MOST_STEPS * layout->room) return 0;
  int plain = (MPIPP_READ(type->object.flags) & MPIPP_FLAG_PREDEFINED) != 0;
  if (plain && type->true_extent == type->extent) {
    uint64_t low = address + (uint64_t)type->true_lb, bytes;
    return !__builtin_mul_overflow((uint64_t)count, (uint64_t)type->extent, &bytes) &&
           add(layout, low, low + bytes);
  }
  if (type->combiner == MPIPP_COMBINER_DUP || type->combiner == MPIPP_COMBINER_RESIZED) {
    if (!type->component_count || !component(type, 0)) return 0;
  } else if (!plain && !is_whole(type)) {
    return 0;
  }
  if (++layout->nested > MOST_NESTED) return 0;
  int fine = 1;
  uint32_t before = layout->count;
  uint64_t end = before ? layout->all[before - 1].high : 0;
  for (int64_t i = 0; fine && i < count; i++, address += (uint64_t)type->extent) {
    if (i == 1 && layout->count == before && add_contiguous(layout, end, type->extent, count - 1))
      break;
    if (i == 1 && layout->count == before + 1 &&
        add_contiguous(layout, layout->all[before].low, type->extent, count - 1))
      break;
    uint64_t low = address + (uint64_t)type->true_lb;
    if (plain)
      fine = add(layout, low, low + (uint64_t)type->true_extent);
    else if (type->combiner == MPIPP_COMBINER_DUP || type->combiner == MPIPP_COMBINER_RESIZED)
      fine = add_entries(layout, component(type, 0), address, 1);
    else
      fine = add_entry(layout, type, address);
  }
  layout->nested--;
  return fine;
}

// Heap sort: moves the piece at `at` down, below all pieces that begin later.
static void sink(struct mpipp_piece *all, uint64_t at, uint64_t count) {
  struct mpipp_piece piece = all[at];
  for (uint64_t below; (below = 2 * at + 1) < count; at = below) {
    if (below + 1 < count && all[below].low < all[below + 1].low) below++;
    if (all[below].low <= piece.low) break;
    all[at] = all[below];
  }
  all[at] = piece;
}

void mpipp_layout_pieces_sort(struct mpipp_piece *all, uint64_t count) {
  for (uint64_t i = count / 2; i-- > 0;) sink(all, i, count);
  for (uint64_t end = count; end-- > 1;) {
    struct mpipp_piece last = all[0];
    all[0] = all[end];
    all[end] = last;
    sink(all, 0, end);
  }
}

void mpipp_layout_open(struct mpipp_layout *layout, uint32_t room) {
  *layout = (struct mpipp_layout){.room = room, .ordered = 1};
}

int mpipp_layout_add(struct mpipp_layout *layout, const struct mpipp_datatype *type,
                     uint64_t address, int64_t count) {
  return type && add_entries(layout, type, address, count);
}

void mpipp_layout_sort(struct mpipp_layout *layout) {
  if (!layout->ordered) mpipp_layout_pieces_sort(layout->all, layout->count);
  layout->ordered = 1;
}

int mpipp_layout_is_disjoint(const struct mpipp_layout *layout) {
  for (uint32_t i = 1; i < layout->count; i++) {
    if (layout->all[i].low < layout->all[i - 1].high) return 0;
  }
  return 1;
}
