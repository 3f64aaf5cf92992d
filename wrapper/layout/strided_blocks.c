// SPDX-License-Identifier: MIT
#include "layout/strided_blocks.h"

#include "abi/vendor.h"

enum { MOST_DEPTH = 32 };
#define HIGHEST ((uint64_t)1 << 47)

// Like struct mpipp_strided_blocks, with the start relative to the buffer's address.
struct mpipp_relative {
  int64_t start, length, stride, count;
};

// Repeats the blocks n times, each copy `step` bytes after the previous one. Returns 0 if the
// result is no longer a set of strided blocks.
static int repeat(struct mpipp_relative *of, int64_t n, int64_t step) {
  int64_t whole;
  if (n < 1) return 0;
  if (n == 1) return 1;
  if (step <= 0 || __builtin_mul_overflow(step, n, &whole)) return 0;
  if (of->count > 1) {
    if (step != of->stride * of->count) return 0;
    of->count *= n;
    return 1;
  }
  if (step < of->length) return 0;
  if (step == of->length) {
    of->length = of->stride = whole;
  } else {
    of->stride = step;
    of->count = n;
  }
  return 1;
}

static int type_blocks(const struct mpipp_datatype *type, struct mpipp_relative *found, int depth) {
  if (!type || depth > MOST_DEPTH) return 0;
  if (type->combiner == MPIPP_COMBINER_NAMED) {
    *found = (struct mpipp_relative){type->true_lb, type->size, type->size, 1};
    return type->size > 0 && type->size == type->true_extent;
  }
  const int64_t *arguments = (const int64_t *)(uintptr_t)type->arguments;
  const uint64_t *components = (const uint64_t *)(uintptr_t)type->components;
  if (!components || type->component_count != 1) return 0;
  const struct mpipp_datatype *of = (const struct mpipp_datatype *)(uintptr_t)components[0];
  if (!type_blocks(of, found, depth + 1)) return 0;
  int64_t step;
  switch (type->combiner) {
  case MPIPP_COMBINER_DUP:
  case MPIPP_COMBINER_RESIZED:
    return 1;
  case MPIPP_COMBINER_CONTIGUOUS:
    return arguments && repeat(found, arguments[0], of->extent);
  case MPIPP_COMBINER_VECTOR:
    return arguments && !__builtin_mul_overflow(arguments[2], of->extent, &step) &&
           repeat(found, arguments[1], of->extent) && repeat(found, arguments[0], step);
  case MPIPP_COMBINER_HVECTOR:
    return arguments && repeat(found, arguments[1], of->extent) &&
           repeat(found, arguments[0], arguments[2]);
  default:
    return 0;
  }
}

int mpipp_layout_strided_blocks_of(const struct mpipp_buffer *buffer,
                                   struct mpipp_strided_blocks *strided) {
  const struct mpipp_datatype *type = (const struct mpipp_datatype *)(uintptr_t)buffer->record;
  struct mpipp_relative found;
  if (buffer->vector || buffer->peers != 1 || buffer->access & (MPIPP_REMOTE | MPIPP_STALE))
    return 0;
  if (!type || buffer->count < 1 || !type_blocks(type, &found, 0)) return 0;
  if (!repeat(&found, buffer->count, type->extent)) return 0;
  uint64_t start = buffer->address + (uint64_t)found.start;
  *strided = (struct mpipp_strided_blocks){start, (uint64_t)found.length, (uint64_t)found.stride,
                                           (uint64_t)found.count};
  // An absolute address (MPI_BOTTOM) would have no meaning in another mapping of the buffer.
  return buffer->address > MPIPP_PAGE && start > MPIPP_PAGE && start < HIGHEST &&
         strided->stride < HIGHEST / strided->count && mpipp_strided_blocks_end(strided) < HIGHEST;
}
