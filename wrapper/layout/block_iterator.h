// SPDX-License-Identifier: MIT
// Lists the bytes that entries of a datatype use, block by block.
#ifndef MPIPP_LAYOUT_BLOCK_ITERATOR_H
#define MPIPP_LAYOUT_BLOCK_ITERATOR_H

#include "abi/seam.h"
#include "registry/records.h"

// One block of bytes, [low, high).
struct mpipp_piece {
  uint64_t low, high;
};
// Sorts pieces by their first byte, in place. qsort might call malloc, and wait for an allocator's
// lock whose owner waits for a lock that the caller holds.
void mpipp_layout_pieces_sort(struct mpipp_piece *all, uint64_t count);

// The blocks, after sorting in the order of their addresses. Blocks that are adjacent in the type
// map are joined to one.
struct mpipp_layout {
  uint32_t count, room; // blocks in `all`, and its capacity
  // private: steps so far, and the depth of nested constructors
  uint32_t steps, nested;
  int ordered;
  struct mpipp_piece all[];
};
static inline uint64_t mpipp_layout_bytes(uint32_t room) {
  return sizeof(struct mpipp_layout) + room * sizeof(struct mpipp_piece);
}

// mpipp_layout_open starts an empty layout, mpipp_layout_add adds entries, and mpipp_layout_sort
// sorts at the end. mpipp_layout_add returns 0 if the capacity is too small, or for a constructor
// that it cannot expand. The function assumes that a predefined datatype has no gaps in its true
// extent.
MPIPP_SEAM void mpipp_layout_open(struct mpipp_layout *layout, uint32_t room);
MPIPP_SEAM int mpipp_layout_add(struct mpipp_layout *layout, const struct mpipp_datatype *type,
                                uint64_t address, int64_t count);
MPIPP_SEAM void mpipp_layout_sort(struct mpipp_layout *layout);
// Returns whether no byte belongs to two blocks. The layout must be sorted.
int mpipp_layout_is_disjoint(const struct mpipp_layout *layout);

#endif
