// SPDX-License-Identifier: MIT
// All bytes of a buffer: strided blocks, or a list of blocks. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_BYTE_SET_H
#define MPIPP_BUFFER_GUARD_MEMORY_BYTE_SET_H

#include "abi/seam.h"
#include "layout/block_iterator.h"
#include "layout/strided_blocks.h"

struct mpipp_block_list;

struct mpipp_bytes {
  struct mpipp_strided_blocks strided; // count 0: it is not strided
  const struct mpipp_piece *pieces;    // otherwise `count` pieces, in order
  uint64_t base, count;                // added to their addresses
  uint64_t low, high, total;           // the first byte, beyond the last, the number of bytes
  struct mpipp_block_list *listed;     // the owner of the pieces; NULL: no user count
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
// The bytes of entries of a datatype, whose list is kept for the next time; 0 if they are too many.
// Release them with mpipp_guard_bytes_give.
int mpipp_guard_bytes_of_entries(const struct mpipp_datatype *type, uint64_t address, int64_t count,
                                 struct mpipp_bytes *bytes);
// The bytes of a layout, which is freed when they are released.
int mpipp_guard_bytes_of_layout(struct mpipp_layout *layout, struct mpipp_bytes *bytes);
MPIPP_SEAM void mpipp_guard_bytes_give(struct mpipp_bytes *bytes);

// Returns whether any byte belongs to both.
int mpipp_guard_bytes_overlap(const struct mpipp_bytes *one, const struct mpipp_bytes *other);

#endif
