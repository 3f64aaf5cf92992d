// SPDX-License-Identifier: MIT
#include "call_filter/block_overlap.h"

#include <stddef.h>

#include "layout/block_iterator.h"
#include "registry/object_store.h"

enum { MOST_BLOCKS = 4096 };

// The blocks of a buffer; NULL if there are too many, or no memory.
static struct mpipp_layout *layout_of(const struct mpipp_buffer *buffer) {
  const struct mpipp_datatype *type = (const void *)(uintptr_t)buffer->record;
  int64_t count = buffer->count;
  if (!type || buffer->vector || __builtin_mul_overflow(count, buffer->peers, &count)) return NULL;
  struct mpipp_layout *layout = mpipp_registry_allocate(mpipp_layout_bytes(MOST_BLOCKS));
  if (!layout) return NULL;
  mpipp_layout_open(layout, MOST_BLOCKS);
  if (!mpipp_layout_add(layout, type, buffer->address, count)) {
    mpipp_registry_free(layout);
    return NULL;
  }
  mpipp_layout_sort(layout);
  return layout;
}

int mpipp_filter_is_self_disjoint(const struct mpipp_buffer *buffer) {
  struct mpipp_layout *layout = layout_of(buffer);
  int apart = layout && mpipp_layout_is_disjoint(layout);
  mpipp_registry_free(layout);
  return apart;
}

int mpipp_filter_are_separate(const struct mpipp_buffer *one, const struct mpipp_buffer *other) {
  struct mpipp_layout *first = layout_of(one), *second = first ? layout_of(other) : NULL;
  int apart = second != NULL;
  // If a buffer overlaps itself, its highest address so far may belong to an earlier block.
  uint64_t firsts = 0, seconds = 0;
  for (uint32_t i = 0, k = 0; apart && (i < first->count || k < second->count);) {
    int is_first =
        k == second->count || (i < first->count && first->all[i].low < second->all[k].low);
    const struct mpipp_piece *next = is_first ? &first->all[i++] : &second->all[k++];
    uint64_t *own = is_first ? &firsts : &seconds;
    apart = next->low >= (is_first ? seconds : firsts);
    if (next->high > *own) *own = next->high;
  }
  mpipp_registry_free(first);
  mpipp_registry_free(second);
  return apart;
}
