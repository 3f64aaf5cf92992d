// SPDX-License-Identifier: MIT
#include "buffer_guard/memory/byte_set.h"

#include <stddef.h>
#include <string.h>

#include "buffer_guard/platform/allocator.h"

enum { KEPT = 256, FIRST = 64, MOST_BLOCKS = 1 << 16 };
#define MIDDLE                                                                                     \
  ((uint64_t)1 << 62) // displacements in a list count from here, so that blocks with negative
                      // displacements fit

struct mpipp_block_list {
  uint64_t record, serial; // record and serial of the list's datatype; 0: the list is not kept
  int64_t count;
  uint64_t total, high; // number of bytes, and the end of the last block
  uint64_t stride;      // as in strided blocks; 0: the blocks are not equally spaced
  uint32_t users;       // number of users, plus 1 while the list is kept
  struct mpipp_layout *layout;
};

static struct mpipp_block_list *kept[KEPT];

static void give(struct mpipp_block_list *listed) {
  if (!listed || --listed->users) return;
  mpipp_guard_free(listed->layout);
  mpipp_guard_free(listed);
}

struct mpipp_bytes mpipp_guard_bytes_of_strided_blocks(const struct mpipp_strided_blocks *strided) {
  return (struct mpipp_bytes){.strided = *strided,
                              .count = strided->count,
                              .low = strided->start,
                              .high = mpipp_strided_blocks_end(strided),
                              .total = strided->length * strided->count};
}

struct mpipp_bytes mpipp_guard_bytes_of_pieces(const struct mpipp_piece *pieces, uint64_t count) {
  struct mpipp_bytes bytes = {.pieces = pieces, .count = count};
  for (uint64_t i = 0; i < count; i++) bytes.total += pieces[i].high - pieces[i].low;
  bytes.low = pieces[0].low;
  bytes.high = pieces[count - 1].high;
  return bytes;
}

// Lists all blocks of the entries. The first attempt has a small capacity.
static struct mpipp_layout *flatten(const struct mpipp_datatype *type, int64_t count) {
  for (uint32_t room = FIRST; room <= MOST_BLOCKS; room *= 4) {
    struct mpipp_layout *layout = mpipp_guard_allocate(mpipp_layout_bytes(room));
    if (!layout) return NULL;
    mpipp_layout_open(layout, room);
    if (mpipp_layout_add(layout, type, MIDDLE, count)) {
      mpipp_layout_sort(layout);
      return layout;
    }
    mpipp_guard_free(layout);
  }
  return NULL;
}

// The stride of a list whose blocks are equal and equally spaced; else 0.
static uint64_t stride_of(const struct mpipp_layout *layout) {
  const struct mpipp_piece *all = layout->all;
  uint64_t length = all->high - all->low,
           stride = layout->count > 1 ? all[1].low - all->low : length;
  for (uint32_t i = 1; i < layout->count; i++) {
    if (all[i].high - all[i].low != length || all[i].low - all[i - 1].low != stride) return 0;
  }
  return stride < length ? 0 : stride;
}

static struct mpipp_block_list *list(struct mpipp_layout *layout) {
  struct mpipp_block_list *listed =
      layout && layout->count ? mpipp_guard_allocate(sizeof *listed) : NULL;
  if (!listed) {
    mpipp_guard_free(layout);
    return NULL;
  }
  *listed = (struct mpipp_block_list){.users = 1, .layout = layout};
  for (uint32_t i = 0; i < layout->count; i++) {
    listed->total += layout->all[i].high - layout->all[i].low;
    if (layout->all[i].high > listed->high) listed->high = layout->all[i].high;
  }
  listed->stride = stride_of(layout);
  return listed;
}

static void use(struct mpipp_block_list *listed, uint64_t base, struct mpipp_bytes *bytes) {
  const struct mpipp_layout *layout = listed->layout;
  if (listed->stride) {
    const struct mpipp_piece *first = layout->all;
    const struct mpipp_strided_blocks strided = {first->low + base, first->high - first->low,
                                                 listed->stride, layout->count};
    *bytes = mpipp_guard_bytes_of_strided_blocks(&strided);
    bytes->listed = listed;
    return;
  }
  *bytes = (struct mpipp_bytes){.pieces = layout->all,
                                .base = base,
                                .count = layout->count,
                                .low = layout->all[0].low + base,
                                .high = listed->high + base,
                                .total = listed->total,
                                .listed = listed};
}

int mpipp_guard_bytes_of_entries(const struct mpipp_datatype *type, uint64_t address, int64_t count,
                                 struct mpipp_bytes *bytes) {
  uint64_t record = (uintptr_t)type, serial = type->object.serial;
  uint64_t sum = (record ^ (uint64_t)count * 31) * 0x9E3779B97F4A7C15u;
  struct mpipp_block_list **place = &kept[sum >> 32 & (KEPT - 1)], *listed = *place;
  if (!listed || listed->record != record || listed->serial != serial || listed->count != count) {
    listed = list(flatten(type, count));
    if (!listed) return 0;
    listed->record = record;
    listed->serial = serial;
    listed->count = count;
    give(*place);
    *place = listed;
  }
  listed->users++;
  use(listed, address - MIDDLE, bytes);
  return 1;
}

int mpipp_guard_bytes_of_layout(struct mpipp_layout *layout, struct mpipp_bytes *bytes) {
  mpipp_layout_sort(layout);
  struct mpipp_block_list *listed = list(layout);
  if (listed) use(listed, 0, bytes);
  return listed != NULL;
}

void mpipp_guard_bytes_give(struct mpipp_bytes *bytes) {
  give(bytes->listed);
  bytes->listed = NULL;
}

// Returns whether strided blocks with the same stride are disjoint modulo the stride.
static int are_disjoint(const struct mpipp_strided_blocks *one,
                        const struct mpipp_strided_blocks *other) {
  if (!one->count || !other->count || one->stride != other->stride) return 0;
  uint64_t apart =
      other->start > one->start ? other->start - one->start : one->start - other->start;
  uint64_t length = other->start > one->start ? one->length : other->length;
  uint64_t next = other->start > one->start ? other->length : one->length;
  uint64_t phase = apart % one->stride;
  return phase >= length && phase + next <= one->stride;
}

// The index of the first block that ends after an address.
static uint64_t first_block_beyond(const struct mpipp_bytes *bytes, uint64_t address) {
  uint64_t first = 0, last = bytes->count;
  while (first < last) {
    uint64_t middle = first + (last - first) / 2;
    if (mpipp_piece_of(bytes, middle).high > address)
      last = middle;
    else
      first = middle + 1;
  }
  return first;
}

int mpipp_guard_bytes_overlap(const struct mpipp_bytes *one, const struct mpipp_bytes *other) {
  if (one->low >= other->high || other->low >= one->high) return 0;
  if (one->count == 1 && other->count == 1) return 1;
  if (are_disjoint(&one->strided, &other->strided)) return 0;
  uint64_t i = first_block_beyond(one, other->low), k = first_block_beyond(other, one->low);
  while (i < one->count && k < other->count) {
    struct mpipp_piece first = mpipp_piece_of(one, i), second = mpipp_piece_of(other, k);
    if (first.low < second.high && second.low < first.high) return 1;
    if (first.high <= second.low)
      i++;
    else
      k++;
  }
  return 0;
}
