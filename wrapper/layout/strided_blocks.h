// SPDX-License-Identifier: MIT
// The bytes of a buffer as equal blocks at one distance, where they are such: the datatypes that
// are guarded.
#ifndef MPIPP_LAYOUT_STRIDED_BLOCKS_H
#define MPIPP_LAYOUT_STRIDED_BLOCKS_H

#include "registry/records.h"

enum { MPIPP_PAGE = 4096 };

// Bytes [start + i * stride, + length) for i < count; they do not touch each other.
struct mpipp_comb {
  uint64_t start, length, stride, count;
};

// Of a communication buffer in this process's memory; 0 if its bytes are not of this form.
int mpipp_layout_comb_of(const struct mpipp_buffer *buffer, struct mpipp_comb *comb);

static inline uint64_t mpipp_page_down(uint64_t address) {
  return address & ~(uint64_t)(MPIPP_PAGE - 1);
}
static inline uint64_t mpipp_page_up(uint64_t address) {
  return mpipp_page_down(address + MPIPP_PAGE - 1);
}

// A block, and the pages [low, high) that it has for itself: none if low >= high.
struct mpipp_block {
  uint64_t start, end, low, high;
};
static inline uint64_t mpipp_comb_end(const struct mpipp_comb *comb) {
  return comb->start + (comb->count - 1) * comb->stride + comb->length;
}

// The first of its bytes from an address on, which there is.
static inline uint64_t mpipp_comb_first(const struct mpipp_comb *comb, uint64_t low) {
  if (low <= comb->start) return comb->start;
  uint64_t block = comb->start + (low - comb->start) / comb->stride * comb->stride;
  return low < block + comb->length ? low : block + comb->stride;
}

#endif
