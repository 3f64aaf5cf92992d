// SPDX-License-Identifier: MIT
#include "buffer_guard/operations/partitions.h"

#include <stddef.h>
#include <string.h>

#include "buffer_guard/compare/memcheck.h"
#include "buffer_guard/memory/pages.h"
#include "buffer_guard/platform/allocator.h"

enum { MOST = 1 << 20, MOST_COMPARED = 1 << 10 };

// The bytes of a partition that page protection does not cover. For a send: the bytes before and
// after the partition's own pages. For a receive under memcheck: all its bytes.
struct mpipp_rest {
  struct mpipp_bytes bytes;
  struct mpipp_piece edges[2];
  struct mpipp_snapshot *compared; // NULL: the bytes are not compared
};

struct mpipp_partitions {
  struct mpipp_alias *alias;  // NULL: no page is protected
  uint64_t low, count, bytes; // the first byte; number of partitions; bytes of each
  int writes, looks; // writes: MPI writes there; looks: 1 if changes are looked for this time
  struct mpipp_rest *rests; // NULL: no partition is compared
  char marked[];            // 1: marked ready, or arrived
};

struct mpipp_partitions *mpipp_guard_partitions_new(struct mpipp_alias *alias,
                                                    const struct mpipp_bytes *bytes, int64_t count,
                                                    int writes) {
  uint64_t length = alias ? bytes->total : 0;
  if (count < 1 || count > MOST || length % (uint64_t)count) return NULL;
  struct mpipp_partitions *made = mpipp_guard_allocate(sizeof *made + (size_t)count);
  if (!made) return NULL;
  made->alias = alias;
  made->low = bytes->low;
  made->count = (uint64_t)count;
  made->bytes = length / made->count;
  made->writes = writes;
  int has_rests = (!writes || mpipp_guard_memcheck) && count <= MOST_COMPARED;
  uint64_t bytes_of_rests = made->count * sizeof *made->rests;
  made->rests = has_rests ? mpipp_guard_allocate(bytes_of_rests) : NULL;
  if (made->rests) memset(made->rests, 0, bytes_of_rests);
  if (made->rests || !mpipp_guard_memcheck) return made;
  mpipp_guard_free(made);
  return NULL;
}

void mpipp_guard_partitions_compare(struct mpipp_partitions *partitions, uint64_t number,
                                    struct mpipp_bytes *bytes) {
  struct mpipp_rest *rest = partitions->rests ? &partitions->rests[number] : NULL;
  uint64_t from = mpipp_page_up(bytes->low), to = mpipp_page_down(bytes->high), count = 0;
  if (!rest) {
    mpipp_guard_bytes_give(bytes);
    return;
  }
  rest->bytes = *bytes;
  if (partitions->writes || mpipp_guard_snapshots_are_crowded()) return;
  if (partitions->alias && from < to) {
    if (bytes->low < from) rest->edges[count++] = (struct mpipp_piece){bytes->low, from};
    if (to < bytes->high) rest->edges[count++] = (struct mpipp_piece){to, bytes->high};
    mpipp_guard_bytes_give(bytes);
    if (!count) return;
    rest->bytes = mpipp_guard_bytes_of_pieces(rest->edges, count);
  }
  rest->compared = mpipp_guard_snapshot_new(&rest->bytes, 0, 0);
}

void mpipp_guard_partitions_drop(struct mpipp_partitions *partitions) {
  for (uint64_t i = 0; partitions->rests && i < partitions->count; i++) {
    struct mpipp_rest *rest = &partitions->rests[i];
    if (rest->compared) mpipp_guard_snapshot_drop(rest->compared);
    mpipp_guard_bytes_give(&rest->bytes);
  }
  mpipp_guard_free(partitions->rests);
  mpipp_guard_free(partitions);
}

static uint64_t start_of(const struct mpipp_partitions *of, uint64_t number) {
  return of->low + number * of->bytes;
}

int mpipp_guard_partitions_begin(struct mpipp_partitions *partitions, int looks) {
  partitions->looks = looks;
  memset(partitions->marked, 0, partitions->count);
  if (!partitions->alias) return 1;
  int shared = mpipp_guard_alias_restart(partitions->alias,
                                         partitions->writes ? MPIPP_SHARE_NOW : MPIPP_SHARE_USED);
  // Bytes that MPI does not receive must stay unchanged.
  if (partitions->writes) mpipp_guard_alias_copy(partitions->alias, 0, ~(uint64_t)0, 0);
  return shared;
}

int mpipp_guard_partitions_end(struct mpipp_partitions *partitions, int is_there,
                               struct mpipp_change *change) {
  int found = 0;
  for (uint64_t i = 0; i < partitions->count; i++) {
    struct mpipp_snapshot *compared = partitions->rests ? partitions->rests[i].compared : NULL;
    if (compared && !is_there) mpipp_guard_snapshot_forget_memory(compared);
    if (compared) found |= mpipp_guard_snapshot_end(compared, found ? NULL : change);
    if (is_there && partitions->alias && partitions->writes && !partitions->marked[i])
      mpipp_guard_alias_copy(partitions->alias, start_of(partitions, i),
                             start_of(partitions, i + 1), 1);
  }
  return found;
}

int mpipp_guard_partitions_check(const struct mpipp_partitions *partitions,
                                 struct mpipp_change *change) {
  for (uint64_t i = 0; partitions->rests && i < partitions->count; i++) {
    struct mpipp_snapshot *compared = partitions->rests[i].compared;
    if (compared && mpipp_guard_snapshot_check(compared, change)) return 1;
  }
  return 0;
}

uint64_t mpipp_guard_partitions_find_dangling(const struct mpipp_partitions *partitions,
                                              uint64_t frame) {
  uint64_t first = 0;
  for (uint64_t i = 0; partitions->rests && i < partitions->count; i++) {
    struct mpipp_snapshot *compared = partitions->rests[i].compared;
    uint64_t address = compared ? mpipp_guard_snapshot_find_dangling(compared, frame) : 0;
    first = first ? first : address;
  }
  return first;
}

struct mpipp_block mpipp_guard_partitions_pages(const struct mpipp_partitions *of) {
  uint64_t end = start_of(of, of->count);
  return (struct mpipp_block){of->low, end, mpipp_page_up(of->low), mpipp_page_down(end)};
}

struct mpipp_block mpipp_guard_partitions_mark(struct mpipp_partitions *partitions,
                                               int64_t number) {
  if (number < 0 || (uint64_t)number >= partitions->count || partitions->marked[number])
    return (struct mpipp_block){0};
  struct mpipp_snapshot *compared = partitions->rests ? partitions->rests[number].compared : NULL;
  if (compared) mpipp_guard_snapshot_begin(compared, partitions->looks);
  if (partitions->writes && partitions->rests)
    mpipp_guard_memcheck_note_arrival(&partitions->rests[number].bytes);
  __atomic_store_n(&partitions->marked[number], 1, __ATOMIC_RELEASE);
  if (!partitions->alias) return (struct mpipp_block){0};
  uint64_t start = start_of(partitions, (uint64_t)number), end = start + partitions->bytes;
  mpipp_guard_alias_copy(partitions->alias, start, end, partitions->writes);
  return (struct mpipp_block){start, end, mpipp_page_down(start), mpipp_page_up(end)};
}

// Protects each run of pages that belong to MPI, among the pages in range.
int mpipp_guard_partitions_forbid(const struct mpipp_partitions *partitions, uint64_t low,
                                  uint64_t high) {
  if (!partitions->alias) return 1;
  const struct mpipp_block all = mpipp_guard_partitions_pages(partitions);
  enum mpipp_page_access allowed = partitions->writes ? MPIPP_ALLOW_NOTHING : MPIPP_ALLOW_LOADS;
  if (low < all.low) low = all.low;
  if (high > all.high) high = all.high;
  if (low >= high) return 1;
  char owned = partitions->writes ? 0 : 1;
  uint64_t i = (low - all.start) / partitions->bytes;
  while (i < partitions->count && start_of(partitions, i) < high) {
    uint64_t first = i;
    while (i < partitions->count && partitions->marked[i] == owned &&
           start_of(partitions, i) < high)
      i++;
    uint64_t from = mpipp_page_up(start_of(partitions, first));
    uint64_t to = mpipp_page_down(start_of(partitions, i));
    if (from < low) from = low;
    if (to > high) to = high;
    if (first < i && from < to && !mpipp_guard_pages_allow(from, to, allowed)) return 0;
    if (first == i) i++;
  }
  return 1;
}
