// SPDX-License-Identifier: MIT
// The bytes of a buffer as equal blocks with one stride, if they have this form: the datatypes that
// are guarded.
#ifndef MPIPP_LAYOUT_STRIDED_BLOCKS_H
#define MPIPP_LAYOUT_STRIDED_BLOCKS_H

#include "abi/seam.h"
#include "registry/records.h"

enum { MPIPP_PAGE = 4096 };

// Bytes [start + i * stride, + length) for i < count; they do not touch each other.
struct mpipp_strided_blocks {
  uint64_t start, length, stride, count;
};

// The strided blocks of a communication buffer in this process's memory; 0 if it has another form.
MPIPP_SEAM int mpipp_layout_strided_blocks_of(const struct mpipp_buffer *buffer,
                                              struct mpipp_strided_blocks *strided);

static inline uint64_t mpipp_page_down(uint64_t address) {
  return address & ~(uint64_t)(MPIPP_PAGE - 1);
}
static inline uint64_t mpipp_page_up(uint64_t address) {
  return mpipp_page_down(address + MPIPP_PAGE - 1);
}

// A block, and the pages [low, high) that contain no other bytes: none if low >= high.
struct mpipp_block {
  uint64_t start, end, low, high;
};
static inline uint64_t mpipp_strided_blocks_end(const struct mpipp_strided_blocks *strided) {
  return strided->start + (strided->count - 1) * strided->stride + strided->length;
}

// The first of its bytes from an address on; there must be one.
static inline uint64_t mpipp_strided_blocks_first(const struct mpipp_strided_blocks *strided,
                                                  uint64_t low) {
  if (low <= strided->start) return strided->start;
  uint64_t block = strided->start + (low - strided->start) / strided->stride * strided->stride;
  return low < block + strided->length ? low : block + strided->stride;
}

#endif
