// SPDX-License-Identifier: MIT
#include "guard/partitions.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "guard/pages.h"

enum { MOST = 1 << 20 };

struct mpipp_partitions {
  struct mpipp_window *window;
  uint64_t count, bytes; // of each
  int writes;
  char marked[]; // 1: ready, or arrived
};

struct mpipp_partitions *mpipp_partitions_new(struct mpipp_window *window, int64_t count,
                                              int writes) {
  const struct mpipp_comb *comb = &window->comb;
  if (count < 1 || count > MOST || comb->count != 1 || comb->length % (uint64_t)count) return NULL;
  struct mpipp_partitions *made = malloc(sizeof *made + (size_t)count);
  if (!made) return NULL;
  made->window = window;
  made->count = (uint64_t)count;
  made->bytes = comb->length / made->count;
  made->writes = writes;
  return made;
}

void mpipp_partitions_drop(struct mpipp_partitions *partitions) {
  free(partitions);
}

static uint64_t start_of(const struct mpipp_partitions *of, uint64_t number) {
  return of->window->comb.start + number * of->bytes;
}

int mpipp_partitions_begin(struct mpipp_partitions *partitions) {
  memset(partitions->marked, 0, partitions->count);
  int shared = mpipp_window_again(partitions->window);
  // What is not received stays as it is.
  if (partitions->writes) mpipp_window_copy(partitions->window, 0, ~(uint64_t)0, 0);
  return shared;
}

void mpipp_partitions_end(struct mpipp_partitions *partitions) {
  for (uint64_t i = 0; partitions->writes && i < partitions->count; i++) {
    if (!partitions->marked[i])
      mpipp_window_copy(partitions->window, start_of(partitions, i), start_of(partitions, i + 1),
                        1);
  }
}

struct mpipp_block mpipp_partitions_mark(struct mpipp_partitions *partitions, int64_t number) {
  if (number < 0 || (uint64_t)number >= partitions->count || partitions->marked[number])
    return (struct mpipp_block){0};
  uint64_t start = start_of(partitions, (uint64_t)number), end = start + partitions->bytes;
  mpipp_window_copy(partitions->window, start, end, partitions->writes);
  __atomic_store_n(&partitions->marked[number], 1, __ATOMIC_RELEASE);
  return (struct mpipp_block){start, end, mpipp_page_down(start), mpipp_page_up(end)};
}

// Runs of partitions that are MPI's, of those in reach.
void mpipp_partitions_forbid(const struct mpipp_partitions *partitions, uint64_t low,
                             uint64_t high) {
  const struct mpipp_block all = mpipp_block_of(&partitions->window->comb, 0);
  enum mpipp_allowed allowed = partitions->writes ? MPIPP_ALLOW_NOTHING : MPIPP_ALLOW_LOADS;
  if (low < all.low) low = all.low;
  if (high > all.high) high = all.high;
  if (low >= high) return;
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
    if (first < i && from < to) mpipp_pages_allow(from, to, allowed);
    if (first == i) i++;
  }
}
