// SPDX-License-Identifier: MIT
// The set of all bytes of a buffer: strided blocks, or a list of blocks. The caller holds the
// guard's lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_BYTE_SET_H
#define MPIPP_BUFFER_GUARD_MEMORY_BYTE_SET_H

#include "abi/seam.h"
#include "layout/block_iterator.h"
#include "layout/strided_blocks.h"

struct mpipp_block_list;

struct mpipp_bytes {
  struct mpipp_strided_blocks strided; // count 0: the bytes are not strided blocks
  const struct mpipp_piece *pieces;    // if they are not strided: `count` blocks, in order
  uint64_t base, count;                // base: the address that is added to each block's; count:
                                       // the number of blocks
  uint64_t low, high, total; // the first byte, the end of the last one, and the number of bytes
  struct mpipp_block_list *listed; // the list that owns the blocks; NULL: users are not counted
};

static inline struct mpipp_piece mpipp_piece_of(const struct mpipp_bytes *bytes, uint64_t index) {
  if (!bytes->strided.count) {
    struct mpipp_piece piece = bytes->pieces[index];
    return (struct mpipp_piece){piece.low + bytes->base, piece.high + bytes->base};
  }
  uint64_t low = bytes->strided.start + index * bytes->strided.stride;
  return (struct mpipp_piece){low, low + bytes->strided.length};
}

struct mpipp_bytes mpipp_guard_bytes_of_strided_blocks(const struct mpipp_strided_blocks *strided);
struct mpipp_bytes mpipp_guard_bytes_of_pieces(const struct mpipp_piece *pieces, uint64_t count);
// Finds the bytes of entries of a datatype. The list of blocks is kept for the next call. Returns 0
// if there are too many blocks. Release the bytes with mpipp_guard_bytes_give.
int mpipp_guard_bytes_of_entries(const struct mpipp_datatype *type, uint64_t address, int64_t count,
                                 struct mpipp_bytes *bytes);
// Finds the bytes of a layout. The layout is freed when the bytes are released.
int mpipp_guard_bytes_of_layout(struct mpipp_layout *layout, struct mpipp_bytes *bytes);
MPIPP_SEAM void mpipp_guard_bytes_give(struct mpipp_bytes *bytes);

// Returns whether the two sets share any byte.
int mpipp_guard_bytes_overlap(const struct mpipp_bytes *one, const struct mpipp_bytes *other);

#endif
