// SPDX-License-Identifier: MIT
// All bytes of a buffer: a comb, or a list of blocks. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_BYTE_SET_H
#define MPIPP_BUFFER_GUARD_MEMORY_BYTE_SET_H

#include "layout/block_iterator.h"
#include "layout/strided_blocks.h"

struct mpipp_listed;

struct mpipp_bytes {
  struct mpipp_comb comb;           // count 0: it is none
  const struct mpipp_piece *pieces; // then: `count`, in order
  uint64_t base, count;             // what is added to their addresses
  uint64_t low, high, total;        // the first byte, beyond the last, how many
  struct mpipp_listed *listed;      // whose pieces they are; NULL: nobody counts
};

static inline struct mpipp_piece mpipp_piece_of(const struct mpipp_bytes *bytes, uint64_t index) {
  if (!bytes->comb.count) {
    struct mpipp_piece piece = bytes->pieces[index];
    return (struct mpipp_piece){piece.low + bytes->base, piece.high + bytes->base};
  }
  uint64_t low = bytes->comb.start + index * bytes->comb.stride;
  return (struct mpipp_piece){low, low + bytes->comb.length};
}

struct mpipp_bytes mpipp_guard_bytes_of_comb(const struct mpipp_comb *comb);
struct mpipp_bytes mpipp_guard_bytes_of_pieces(const struct mpipp_piece *pieces, uint64_t count);
// Of entries of a datatype, whose list is kept for the next time; 0 if they are too many. To be
// given back.
int mpipp_guard_bytes_of_entries(const struct mpipp_datatype *type, uint64_t address, int64_t count,
                                 struct mpipp_bytes *bytes);
// Of what a layout has; it is freed when they are given back.
int mpipp_guard_bytes_of_layout(struct mpipp_layout *layout, struct mpipp_bytes *bytes);
void mpipp_guard_bytes_give(struct mpipp_bytes *bytes);

// Whether any byte is of both.
int mpipp_guard_bytes_meet(const struct mpipp_bytes *one, const struct mpipp_bytes *other);

#endif
