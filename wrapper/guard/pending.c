// SPDX-License-Identifier: MIT
#include "guard/pending.h"

#include <stddef.h>

#include "guard/pages.h"
#include "mpi/vendor.h"
#include "records/store.h"

enum { HEADS = 1024 }; // a power of two

static struct mpipp_guarded all[MPIPP_MOST_GUARDED];
uint32_t mpipp_guarded_kept;
static uint32_t used; // those beyond have never been
// Lists by the handle of the request, and of those that are free: 1 + index, 0 at their end.
static uint32_t heads[HEADS], first_free;

static void set_state(struct mpipp_guarded *guarded, enum mpipp_guarded_state state) {
  __atomic_store_n(&guarded->state, state, __ATOMIC_RELEASE);
}

static uint32_t *head_of(uint64_t request) {
  return &heads[(request * 0x9E3779B97F4A7C15u) >> 32 & (HEADS - 1)];
}

struct mpipp_guarded *mpipp_guarded_new(void) {
  uint32_t i = first_free ? first_free - 1 : used;
  if (i == MPIPP_MOST_GUARDED) return NULL;
  struct mpipp_guarded *guarded = &all[i];
  if (first_free) first_free = guarded->next;
  guarded->part_count = guarded->persistent = guarded->given_back = guarded->next = 0;
  guarded->request = guarded->serial = 0;
  set_state(guarded, MPIPP_GUARDED_POSTED);
  if (i == used) __atomic_store_n(&used, used + 1, __ATOMIC_RELEASE);
  return guarded;
}

struct mpipp_part *mpipp_guarded_add(struct mpipp_guarded *guarded, const struct mpipp_comb *comb,
                                     int writes) {
  if (guarded->part_count == MPIPP_MAX_BUFFERS) return NULL;
  struct mpipp_window *window = mpipp_window_take(comb);
  if (!window) return NULL;
  struct mpipp_part *part = &guarded->parts[guarded->part_count++];
  *part = (struct mpipp_part){.window = window, .comb = *comb, .writes = (uint32_t)writes};
  return part;
}

void mpipp_guarded_name(struct mpipp_guarded *guarded, uint64_t request, uint64_t serial) {
  uint32_t *head = head_of(request);
  guarded->request = request;
  guarded->serial = serial;
  guarded->next = *head;
  *head = (uint32_t)(guarded - all) + 1;
}

static void unlist(const struct mpipp_guarded *guarded) {
  uint32_t *at = head_of(guarded->request), number = (uint32_t)(guarded - all) + 1;
  while (*at && *at != number) at = &all[*at - 1].next;
  if (*at) *at = guarded->next;
}

static int meets(const struct mpipp_comb *one, const struct mpipp_comb *other) {
  return one->start < mpipp_comb_end(other) && other->start < mpipp_comb_end(one);
}

// What an operation forbids, of pages in [low, high).
static void forbid(const struct mpipp_part *part, uint64_t low, uint64_t high) {
  enum mpipp_allowed allowed = part->writes ? MPIPP_ALLOW_NOTHING : MPIPP_ALLOW_LOADS;
  for (uint64_t i = 0; i < part->comb.count; i++) {
    struct mpipp_block block = mpipp_block_of(&part->comb, i);
    uint64_t from = block.low > low ? block.low : low, to = block.high < high ? block.high : high;
    if (from < to) mpipp_pages_allow(from, to, allowed);
  }
}

void mpipp_guarded_begin(struct mpipp_guarded *guarded) {
  guarded->given_back = 0;
  set_state(guarded, MPIPP_GUARDED_PENDING);
  for (uint32_t i = 0; i < guarded->part_count; i++) forbid(&guarded->parts[i], 0, ~(uint64_t)0);
}

// What others forbid of the pages of a buffer, which have just been opened.
static void forbid_again(const struct mpipp_comb *comb) {
  for (uint32_t i = 0; i < used; i++) {
    if (all[i].state != MPIPP_GUARDED_PENDING) continue;
    for (uint32_t j = 0; j < all[i].part_count; j++) {
      if (meets(&all[i].parts[j].comb, comb))
        forbid(&all[i].parts[j], mpipp_page_down(comb->start), mpipp_comb_end(comb));
    }
  }
}

// Its pages are the program's again, but those that other operations have, too.
static void release(struct mpipp_guarded *guarded) {
  if (guarded->state != MPIPP_GUARDED_PENDING) return;
  set_state(guarded, MPIPP_GUARDED_POSTED);
  for (uint32_t j = 0; j < guarded->part_count; j++) {
    const struct mpipp_comb *comb = &guarded->parts[j].comb;
    for (uint64_t i = 0; i < comb->count; i++) {
      struct mpipp_block block = mpipp_block_of(comb, i);
      if (block.low < block.high) mpipp_pages_allow(block.low, block.high, MPIPP_ALLOW_ALL);
    }
    forbid_again(comb);
  }
}

void mpipp_guarded_drop(struct mpipp_guarded *guarded) {
  release(guarded);
  for (uint32_t i = 0; i < guarded->part_count; i++) mpipp_window_give(guarded->parts[i].window);
  if (guarded->serial) unlist(guarded);
  guarded->next = first_free;
  first_free = (uint32_t)(guarded - all) + 1;
  set_state(guarded, MPIPP_GUARDED_FREE);
}

// What MPI has received beside whole pages.
static void hand_over(const struct mpipp_guarded *guarded) {
  for (uint32_t i = 0; i < guarded->part_count && !guarded->given_back; i++) {
    if (guarded->parts[i].writes) mpipp_window_empty(guarded->parts[i].window);
  }
}

void mpipp_guarded_end(struct mpipp_guarded *guarded) {
  if (guarded->state == MPIPP_GUARDED_INACTIVE) return;
  int kept = guarded->state == MPIPP_GUARDED_KEPT;
  release(guarded);
  hand_over(guarded);
  if (kept) mpipp_guarded_kept--;
  if (guarded->persistent && !kept)
    set_state(guarded, MPIPP_GUARDED_INACTIVE);
  else
    mpipp_guarded_drop(guarded);
}

void mpipp_guarded_rest(struct mpipp_guarded *guarded) {
  set_state(guarded, MPIPP_GUARDED_INACTIVE);
}

void mpipp_guarded_fill(struct mpipp_guarded *guarded) {
  for (uint32_t i = 0; i < guarded->part_count; i++) mpipp_window_fill(guarded->parts[i].window);
}

void mpipp_guarded_keep(struct mpipp_guarded *guarded) {
  release(guarded);
  mpipp_guarded_kept++;
  set_state(guarded, MPIPP_GUARDED_KEPT);
}

static int is_of_request(const struct mpipp_guarded *guarded) {
  return guarded->state == MPIPP_GUARDED_PENDING || guarded->state == MPIPP_GUARDED_INACTIVE;
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
    if (is_of_request(&all[i])) return &all[i];
  }
  return NULL;
}

struct mpipp_guarded *mpipp_guarded_of(uint64_t request, uint64_t serial) {
  for (uint32_t i = *head_of(request); i; i = all[i - 1].next) {
    struct mpipp_guarded *one = &all[i - 1];
    if (one->request == request && (!serial || one->serial == serial) && is_of_request(one))
      return one;
  }
  return NULL;
}

const struct mpipp_guarded *mpipp_guarded_at(uint64_t address, uint32_t *part) {
  uint32_t count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count; i++) {
    if (__atomic_load_n(&all[i].state, __ATOMIC_ACQUIRE) != MPIPP_GUARDED_PENDING) continue;
    for (uint32_t j = 0; j < all[i].part_count; j++) {
      *part = j;
      if (mpipp_comb_page(&all[i].parts[j].comb, address)) return &all[i];
    }
  }
  return NULL;
}

static void open_pages(const struct mpipp_comb *comb, uint64_t low, uint64_t high) {
  for (uint64_t i = 0; i < comb->count; i++) {
    struct mpipp_block block = mpipp_block_of(comb, i);
    uint64_t from = block.low > low ? block.low : mpipp_page_down(low);
    uint64_t to = block.high < high ? block.high : mpipp_page_up(high);
    if (from < to) mpipp_pages_allow(from, to, MPIPP_ALLOW_ALL);
  }
}

const struct mpipp_guarded *mpipp_guarded_give_back(uint64_t low, uint64_t high) {
  uint32_t count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < count; i++) {
    if (__atomic_load_n(&all[i].state, __ATOMIC_ACQUIRE) != MPIPP_GUARDED_PENDING) continue;
    for (uint32_t j = 0; j < all[i].part_count; j++) {
      const struct mpipp_comb *comb = &all[i].parts[j].comb;
      if (comb->start >= high || low >= mpipp_comb_end(comb)) continue;
      __atomic_store_n(&all[i].given_back, 1, __ATOMIC_RELAXED);
      open_pages(comb, low, high);
      return &all[i];
    }
  }
  return NULL;
}
