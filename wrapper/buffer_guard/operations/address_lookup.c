// SPDX-License-Identifier: MIT
#include "buffer_guard/operations/address_lookup.h"

#include <stddef.h>

#include "buffer_guard/memory/pages.h"

static void open_pages(const struct mpipp_alias *alias, uint64_t low, uint64_t high) {
  if (!alias) return;
  low = mpipp_page_down(low);
  high = mpipp_page_up(high);
  for (uint64_t i = mpipp_guard_alias_run(alias, low); i < alias->run_count; i++) {
    struct mpipp_piece run = alias->runs[i];
    uint64_t from = run.low > low ? run.low : low, to = run.high < high ? run.high : high;
    if (from >= to) return;
    mpipp_guard_pages_allow(from, to, MPIPP_ALLOW_ALL);
  }
}

// Returns whether the values that were just read belong to that operation. Another operation may
// have taken the table entry meanwhile.
static int still_has_serial(const struct mpipp_guarded_operation *guarded, uint64_t serial) {
  return __atomic_load_n(&guarded->serial, __ATOMIC_ACQUIRE) == serial &&
         __atomic_load_n(&guarded->state, __ATOMIC_ACQUIRE) == MPIPP_GUARDED_PENDING;
}

// The first address of [low, high) in an alias's pages; `high` if there is none.
static uint64_t first_of_pages(const struct mpipp_alias *alias, uint64_t low, uint64_t high) {
  uint64_t run = alias ? mpipp_guard_alias_run(alias, low) : 0;
  if (!alias || run >= alias->run_count) return high;
  return alias->runs[run].low > low ? alias->runs[run].low : low;
}

// Returns whether a buffer of a pending operation contains any of these bytes; *first: the first of
// them. A list of blocks cannot be read without the lock, so then only its pages, its first byte
// and its last byte count.
static int has_any(const struct mpipp_guarded_operation *guarded, uint32_t part,
                   const struct mpipp_bytes *given, uint64_t *first) {
  uint64_t serial = __atomic_load_n(&guarded->serial, __ATOMIC_ACQUIRE);
  const struct mpipp_bytes bytes = guarded->parts[part].bytes;
  if (bytes.low >= given->high || given->low >= bytes.high) return 0;
  if (bytes.strided.count) {
    if (!mpipp_guard_bytes_overlap(&bytes, given)) return 0;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    *first = mpipp_strided_blocks_first(&bytes.strided, given->low);
  } else if (given->low <= bytes.low) {
    *first = bytes.low;
  } else {
    *first = first_of_pages(guarded->parts[part].alias, given->low, given->high);
    if (*first >= given->high && bytes.high <= given->high) *first = bytes.high - 1;
    if (*first >= given->high) return 0;
  }
  return still_has_serial(guarded, serial);
}

// Returns whether the program's accesses to the buffer are detected, and are errors.
static int is_guarded(const struct mpipp_part *part, int stores) {
  if (part->partitions || part->is_open || mpipp_is_part_freed(part)) return 0;
  if (!(stores || part->writes)) return 0;
  return part->alias || (part->compared && mpipp_guard_snapshot_is_active(part->compared));
}

const struct mpipp_guarded_operation *
mpipp_guard_find_overlap(uint64_t low, uint64_t high, int stores, struct mpipp_meeting *meeting) {
  uint32_t count;
  struct mpipp_guarded_operation *all = mpipp_guard_operations(&count);
  const struct mpipp_guarded_operation *first = NULL;
  const struct mpipp_strided_blocks one = {low, high - low, high - low, 1};
  const struct mpipp_bytes given = mpipp_guard_bytes_of_strided_blocks(&one);
  if (low >= high || !mpipp_guarded_may_overlap(low, high)) return NULL;
  for (uint32_t i = 0; i < count; i++) {
    if (__atomic_load_n(&all[i].state, __ATOMIC_ACQUIRE) != MPIPP_GUARDED_PENDING) continue;
    for (uint32_t j = 0; j < all[i].part_count; j++) {
      const struct mpipp_part *part = &all[i].parts[j];
      uint64_t byte;
      if (!is_guarded(part, stores) || !has_any(&all[i], j, &given, &byte)) continue;
      open_pages(part->alias, low, high);
      if (!first)
        *meeting = (struct mpipp_meeting){all[i].serial, byte, part->bytes.low, part->writes};
      first = first ? first : &all[i];
    }
  }
  return first;
}

// Returns whether the operation has any of the freed bytes. Each operation is reported once,
// because another owner may get that memory and free it again. Opens all pages of the buffer,
// because nothing else now shows that they belong to the operation.
static int mark_freed(struct mpipp_guarded_operation *guarded, const struct mpipp_bytes *given) {
  int any = 0;
  if (__atomic_load_n(&guarded->state, __ATOMIC_ACQUIRE) != MPIPP_GUARDED_PENDING) return 0;
  for (uint32_t i = 0; i < guarded->part_count; i++) {
    struct mpipp_part *part = &guarded->parts[i];
    uint64_t byte;
    if (mpipp_is_part_freed(part) || !has_any(guarded, i, given, &byte)) continue;
    __atomic_store_n(&part->freed, 1, __ATOMIC_SEQ_CST);
    if (part->alias) mpipp_guard_alias_open(part->alias);
    any = 1;
  }
  return any;
}

const struct mpipp_guarded_operation *mpipp_guard_find_freed(uint64_t low, uint64_t high) {
  uint32_t count;
  struct mpipp_guarded_operation *all = mpipp_guard_operations(&count);
  const struct mpipp_strided_blocks one = {low, high - low, high - low, 1};
  const struct mpipp_bytes given = mpipp_guard_bytes_of_strided_blocks(&one);
  const struct mpipp_guarded_operation *first = NULL;
  if (!mpipp_guarded_may_overlap(low, high)) return NULL;
  for (uint32_t i = 0; i < count; i++) {
    if (mark_freed(&all[i], &given) && !first) first = &all[i];
  }
  return first;
}
