// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "guard/windows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "guard/pages.h"
#include "guard/rings.h"

enum { MOST = 256, MOST_BLOCKS = 512, MOST_SPARSE = 16 };

static struct mpipp_window windows[MOST];
static uint64_t uses;

static void forget(struct mpipp_window *window) {
  if (window->memory) munmap(window->memory, window->bytes);
  free(window->edges);
  *window = (struct mpipp_window){.memory = NULL};
}

// One that fits and is free, else one to be made: an unused or the oldest one.
static struct mpipp_window *choose(const struct mpipp_comb *comb) {
  struct mpipp_window *oldest = NULL;
  for (int i = 0; i < MOST; i++) {
    struct mpipp_window *one = &windows[i];
    if (one->busy) continue;
    if (one->memory && memcmp(&one->comb, comb, sizeof *comb) == 0) return one;
    if (!oldest || one->used < oldest->used) oldest = one;
  }
  if (oldest) forget(oldest);
  return oldest;
}

static int share_all(const struct mpipp_comb *comb) {
  int any = 0;
  mpipp_rings_anew();
  for (uint64_t i = 0; i < comb->count; i++) {
    struct mpipp_block block = mpipp_block_of(comb, i);
    if (block.low >= block.high) continue;
    if (!mpipp_pages_share(block.low, block.high)) return 0;
    any = 1;
  }
  return any;
}

// Two of a block at most.
static int list_edges(struct mpipp_window *window) {
  const struct mpipp_comb *comb = &window->comb;
  struct mpipp_piece *edges = malloc(2 * comb->count * sizeof *edges);
  if (!edges) return 0;
  window->edges = edges;
  for (uint64_t i = 0; i < comb->count; i++) {
    struct mpipp_block block = mpipp_block_of(comb, i);
    int parted = block.low < block.high;
    uint64_t end = parted ? block.low : block.end;
    if (block.start < end) edges[window->edge_count++] = (struct mpipp_piece){block.start, end};
    if (parted && block.high < block.end)
      edges[window->edge_count++] = (struct mpipp_piece){block.high, block.end};
  }
  return 1;
}

static int make(struct mpipp_window *window, const struct mpipp_comb *comb) {
  uint64_t low = mpipp_page_down(comb->start), bytes = mpipp_page_up(mpipp_comb_end(comb)) - low;
  void *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return 0;
  *window = (struct mpipp_window){.comb = *comb, .memory = memory, .low = low, .bytes = bytes};
  if (!list_edges(window)) {
    forget(window);
    return 0;
  }
  for (uint64_t i = 0; i < comb->count; i++) {
    struct mpipp_block block = mpipp_block_of(comb, i);
    if (block.low < block.high &&
        !mpipp_pages_show(window->memory + (block.low - low), block.low, block.high)) {
      forget(window);
      return 0;
    }
  }
  return 1;
}

// Each block is mapped for itself, and what lies between takes addresses.
static int is_worth_it(const struct mpipp_comb *comb) {
  if (comb->count > MOST_BLOCKS || comb->stride / MOST_SPARSE > comb->length) return 0;
  return comb->length >= MPIPP_PAGE; // else no block has a page for itself
}

struct mpipp_window *mpipp_window_take(const struct mpipp_comb *comb) {
  if (mpipp_ring_is_there || !is_worth_it(comb)) return NULL;
  int saved = errno;
  struct mpipp_window *window = share_all(comb) ? choose(comb) : NULL;
  if (window && !window->memory && !make(window, comb)) window = NULL;
  errno = saved;
  if (!window) return NULL;
  window->used = ++uses;
  window->busy = 1;
  return window;
}

static void copy(const struct mpipp_window *window, uint64_t start, uint64_t end, int back) {
  void *own = (void *)(uintptr_t)start;
  void *other = (void *)(uintptr_t)mpipp_window_address(window, start);
  if (start < end) memcpy(back ? own : other, back ? other : own, end - start);
}

static uint64_t later(uint64_t one, uint64_t other) {
  return one > other ? one : other;
}

static uint64_t earlier(uint64_t one, uint64_t other) {
  return one < other ? one : other;
}

static void copy_pages(const struct mpipp_window *window, uint64_t low, uint64_t high, int back) {
  for (uint64_t i = 0; window->apart && i < window->comb.count; i++) {
    struct mpipp_block block = mpipp_block_of(&window->comb, i);
    if (block.low < block.high)
      copy(window, later(low, block.low), earlier(high, block.high), back);
  }
}

void mpipp_window_copy(const struct mpipp_window *window, uint64_t low, uint64_t high, int back) {
  copy_pages(window, low, high, back);
  for (uint64_t i = 0; i < window->edge_count; i++)
    copy(window, later(low, window->edges[i].low), earlier(high, window->edges[i].high), back);
}

int mpipp_window_again(struct mpipp_window *window) {
  int saved = errno;
  window->apart = !share_all(&window->comb);
  errno = saved;
  copy_pages(window, 0, ~(uint64_t)0, 0);
  return !window->apart;
}

void mpipp_window_empty(const struct mpipp_window *window) {
  copy_pages(window, 0, ~(uint64_t)0, 1);
}

void mpipp_window_give(struct mpipp_window *window) {
  window->busy = window->apart = 0;
}
