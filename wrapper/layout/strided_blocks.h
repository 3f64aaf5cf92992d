// SPDX-License-Identifier: MIT
// The bytes of a buffer as equal blocks with one stride. The guard supports datatypes of this form
// best.
#ifndef MPIPP_LAYOUT_STRIDED_BLOCKS_H
#define MPIPP_LAYOUT_STRIDED_BLOCKS_H

#include "abi/seam.h"
#include "registry/records.h"

enum { MPIPP_PAGE = 4096 };

// Bytes [start + i * stride, start + i * stride + length) for i < count. The blocks do not touch
// each other.
struct mpipp_strided_blocks {
  uint64_t start, length, stride, count;
};

// Finds the strided blocks of a communication buffer in this process's memory. Returns 0 if the
// buffer has another form.
MPIPP_SEAM int mpipp_layout_strided_blocks_of(const struct mpipp_buffer *buffer,
                                              struct mpipp_strided_blocks *strided);

static inline uint64_t mpipp_page_down(uint64_t address) {
  return address & ~(uint64_t)(MPIPP_PAGE - 1);
}
static inline uint64_t mpipp_page_up(uint64_t address) {
  return mpipp_page_down(address + MPIPP_PAGE - 1);
}

// A block, and the pages [low, high) that contain only its bytes; if low >= high, there are none.
struct mpipp_block {
  uint64_t start, end, low, high;
};
static inline uint64_t mpipp_strided_blocks_end(const struct mpipp_strided_blocks *strided) {
  return strided->start + (strided->count - 1) * strided->stride + strided->length;
}

// The address of the first byte of the blocks that is not below `low`. Such a byte must exist.
static inline uint64_t mpipp_strided_blocks_first(const struct mpipp_strided_blocks *strided,
                                                  uint64_t low) {
  if (low <= strided->start) return strided->start;
  uint64_t block = strided->start + (low - strided->start) / strided->stride * strided->stride;
  return low < block + strided->length ? low : block + strided->stride;
}

#endif
