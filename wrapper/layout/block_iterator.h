// SPDX-License-Identifier: MIT
// The bytes that entries of a datatype use, block by block.
#ifndef MPIPP_LAYOUT_BLOCK_ITERATOR_H
#define MPIPP_LAYOUT_BLOCK_ITERATOR_H

#include "registry/records.h"

// Bytes [low, high).
struct mpipp_piece {
  uint64_t low, high;
};
// In the order of their first bytes, in place: qsort may call malloc, which waits for an
// allocator's lock, and who has that may be waiting for one that the caller has.
void mpipp_layout_pieces_sort(struct mpipp_piece *all, uint64_t count);

// In the order of the addresses; those that follow each other in the type map are one.
struct mpipp_layout {
  uint32_t count, room; // of `all`
  // private
  uint32_t steps, nested;
  int ordered;
  struct mpipp_piece all[];
};
static inline uint64_t mpipp_layout_bytes(uint32_t room) {
  return sizeof(struct mpipp_layout) + room * sizeof(struct mpipp_piece);
}

// An empty one; then entries are added, and at last put in order. 0: there is no room for all, or a
// constructor is not walked here. What is predefined is taken for all of its true extent.
void mpipp_layout_open(struct mpipp_layout *layout, uint32_t room);
int mpipp_layout_add(struct mpipp_layout *layout, const struct mpipp_datatype *type,
                     uint64_t address, int64_t count);
void mpipp_layout_sort(struct mpipp_layout *layout);
// Whether no byte is used twice.
int mpipp_layout_is_disjoint(const struct mpipp_layout *layout);

#endif
