// SPDX-License-Identifier: MIT
// The bytes that entries of a datatype use, block by block.
#ifndef MPIPP_LAYOUT_BLOCK_ITERATOR_H
#define MPIPP_LAYOUT_BLOCK_ITERATOR_H

#include "abi/seam.h"
#include "registry/records.h"

// Bytes [low, high).
struct mpipp_piece {
  uint64_t low, high;
};
// Sorts by the first byte, in place. qsort may call malloc and wait for an allocator's lock, whose
// owner may wait for a lock that the caller has.
void mpipp_layout_pieces_sort(struct mpipp_piece *all, uint64_t count);

// In the order of the addresses; pieces that follow each other in the type map are one.
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

// Opens an empty layout; then entries are added, and finally sorted. 0: the capacity is too small,
// or a constructor is not expanded here. A predefined datatype is assumed to fill its true extent.
MPIPP_SEAM void mpipp_layout_open(struct mpipp_layout *layout, uint32_t room);
MPIPP_SEAM int mpipp_layout_add(struct mpipp_layout *layout, const struct mpipp_datatype *type,
                                uint64_t address, int64_t count);
MPIPP_SEAM void mpipp_layout_sort(struct mpipp_layout *layout);
// Returns whether no byte is used twice.
int mpipp_layout_is_disjoint(const struct mpipp_layout *layout);

#endif
