// SPDX-License-Identifier: MIT
#include "guard/pending.h"

#include <stddef.h>

#include "guard/pages.h"
#include "mpi/vendor.h"
#include "records/store.h"

static struct mpipp_guarded all[MPIPP_MOST_GUARDED];
uint32_t mpipp_guarded_kept;
static uint32_t used; // those beyond have never been

static void set_state(struct mpipp_guarded *guarded, enum mpipp_guarded_state state) {
  __atomic_store_n(&guarded->state, state, __ATOMIC_RELEASE);
}

struct mpipp_guarded *mpipp_guarded_new(const struct mpipp_comb *comb, int receives) {
  uint32_t i = 0;
  while (i < used && all[i].state != MPIPP_GUARDED_FREE) i++;
  if (i == MPIPP_MOST_GUARDED) return NULL;
  struct mpipp_window *window = mpipp_window_take(comb);
  if (!window) return NULL;
  struct mpipp_guarded *guarded = &all[i];
  guarded->receives = (uint32_t)receives;
  guarded->window = window;
  guarded->comb = *comb;
  guarded->request = guarded->serial = 0;
  set_state(guarded, MPIPP_GUARDED_POSTED);
  if (i == used) __atomic_store_n(&used, used + 1, __ATOMIC_RELEASE);
  return guarded;
}

static int meets(const struct mpipp_comb *one, const struct mpipp_comb *other) {
  return one->start < mpipp_comb_end(other) && other->start < mpipp_comb_end(one);
}

// What an operation forbids, of pages in [low, high).
static void forbid(const struct mpipp_guarded *guarded, uint64_t low, uint64_t high) {
  enum mpipp_allowed allowed = guarded->receives ? MPIPP_ALLOW_NOTHING : MPIPP_ALLOW_LOADS;
  for (uint64_t i = 0; i < guarded->comb.count; i++) {
    struct mpipp_block block = mpipp_block_of(&guarded->comb, i);
    uint64_t from = block.low > low ? block.low : low, to = block.high < high ? block.high : high;
    if (from < to) mpipp_pages_allow(from, to, allowed);
  }
}

void mpipp_guarded_begin(struct mpipp_guarded *guarded) {
  set_state(guarded, MPIPP_GUARDED_PENDING);
  forbid(guarded, 0, ~(uint64_t)0);
}

// Its pages are the program's again, but those that other operations have, too.
static void release(struct mpipp_guarded *guarded) {
  set_state(guarded, MPIPP_GUARDED_POSTED);
  for (uint64_t i = 0; i < guarded->comb.count; i++) {
    struct mpipp_block block = mpipp_block_of(&guarded->comb, i);
    if (block.low < block.high) mpipp_pages_allow(block.low, block.high, MPIPP_ALLOW_ALL);
  }
  for (uint32_t i = 0; i < used; i++) {
    if (all[i].state == MPIPP_GUARDED_PENDING && meets(&all[i].comb, &guarded->comb))
      forbid(&all[i], mpipp_page_down(guarded->comb.start), mpipp_comb_end(&guarded->comb));
  }
}

void mpipp_guarded_drop(struct mpipp_guarded *guarded) {
  mpipp_window_give(guarded->window);
  set_state(guarded, MPIPP_GUARDED_FREE);
}

void mpipp_guarded_end(struct mpipp_guarded *guarded) {
  if (guarded->state == MPIPP_GUARDED_PENDING) release(guarded);
  if (guarded->state == MPIPP_GUARDED_KEPT) mpipp_guarded_kept--;
  if (guarded->receives) mpipp_window_empty(guarded->window);
  mpipp_guarded_drop(guarded);
}

void mpipp_guarded_keep(struct mpipp_guarded *guarded) {
  release(guarded);
  mpipp_guarded_kept++;
  set_state(guarded, MPIPP_GUARDED_KEPT);
}

struct mpipp_guarded *mpipp_guarded_with(uint64_t request) {
  for (uint32_t i = 0; i < used; i++) {
    if (all[i].state == MPIPP_GUARDED_PENDING && all[i].request == request) return &all[i];
  }
  return NULL;
}

struct mpipp_guarded *mpipp_guarded_next_kept(struct mpipp_guarded *after) {
  uint32_t count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
  for (uint32_t i = after ? (uint32_t)(after - all) + 1 : 0; i < count; i++) {
    if (__atomic_load_n(&all[i].state, __ATOMIC_ACQUIRE) == MPIPP_GUARDED_KEPT) return &all[i];
  }
  return NULL;
}

struct mpipp_guarded *mpipp_guarded_any(void) {
  for (uint32_t i = 0; i < used; i++) {
    if (all[i].state == MPIPP_GUARDED_PENDING) return &all[i];
  }
  return NULL;
}

struct mpipp_guarded *mpipp_guarded_of(uint64_t serial) {
  for (uint32_t i = 0; serial && i < used; i++) {
    if (all[i].state == MPIPP_GUARDED_PENDING && all[i].serial == serial) return &all[i];
  }
  return NULL;
}

const struct mpipp_guarded *mpipp_guarded_at(uint64_t address) {
  uint32_t count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count; i++) {
    if (__atomic_load_n(&all[i].state, __ATOMIC_ACQUIRE) == MPIPP_GUARDED_PENDING &&
        mpipp_comb_page(&all[i].comb, address))
      return &all[i];
  }
  return NULL;
}
