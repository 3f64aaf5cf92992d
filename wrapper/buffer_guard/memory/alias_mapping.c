// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "buffer_guard/memory/alias_mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffer_guard/memory/pages.h"
#include "buffer_guard/memory/window_memory.h"
#include "buffer_guard/platform/allocator.h"
#include "buffer_guard/platform/io_uring.h"
#include "buffer_guard/platform/other_threads.h"

enum { MOST = 256, MOST_BLOCKS = 512, MOST_SPARSE = 16 };

static struct mpipp_alias aliases[MOST];
static struct mpipp_piece all_runs[MOST][MOST_BLOCKS];
static uint64_t uses;
static uint64_t mappings; // upper bound for the number of mappings of all aliases
uint64_t mpipp_guard_refused_aliases;

// The layout that a new alias will have: its pages and its copied edges.
struct mpipp_plan {
  uint64_t low, bytes, run_count, edge_count;
  struct mpipp_piece runs[MOST_BLOCKS], edges[2 * MOST_BLOCKS];
};

// The number of mappings that an alias needs during an operation. Each run of pages needs four: its
// view, its protected pages, and the unprotected memory after each of them.
static uint64_t mappings_of(uint64_t run_count) {
  return 4 * run_count + 1;
}

static void forget(struct mpipp_alias *alias) {
  if (alias->memory) {
    munmap(alias->memory, alias->bytes);
    mappings -= mappings_of(alias->run_count);
  }
  mpipp_guard_free(alias->edges);
  alias->memory = NULL;
  alias->edges = NULL;
  alias->used = alias->edge_count = 0;
  __atomic_store_n(&alias->run_count, 0, __ATOMIC_RELEASE);
}

static int matches_plan(const struct mpipp_alias *alias, const struct mpipp_plan *plan) {
  return alias->memory && alias->low == plan->low && alias->bytes == plan->bytes &&
         alias->run_count == plan->run_count && alias->edge_count == plan->edge_count &&
         !memcmp(alias->runs, plan->runs, plan->run_count * sizeof *plan->runs) &&
         !memcmp(alias->edges, plan->edges, plan->edge_count * sizeof *plan->edges);
}

// Selects a free alias that fits, or else one to be rebuilt: an unused one, or the oldest.
static struct mpipp_alias *choose(const struct mpipp_plan *plan) {
  struct mpipp_alias *oldest = NULL;
  for (int i = 0; i < MOST; i++) {
    struct mpipp_alias *one = &aliases[i];
    one->runs = all_runs[i];
    if (one->busy) continue;
    if (matches_plan(one, plan)) return one;
    if (!oldest || one->used < oldest->used) oldest = one;
  }
  if (oldest) forget(oldest);
  return oldest;
}

// The largest number of mappings that all aliases together may have.
static uint64_t mapping_limit(void) {
  enum { USUAL = 65530, PART = 4 };
  static uint64_t most;
  if (most) return most;
  char text[24] = "";
  int file = open("/proc/sys/vm/max_map_count", O_RDONLY | O_CLOEXEC);
  if (file >= 0 && read(file, text, sizeof text - 1) > 0) most = strtoull(text, NULL, 10);
  if (file >= 0) close(file);
  return most = (most ? most : USUAL) / PART;
}

static struct mpipp_alias *oldest_unused_window(void) {
  struct mpipp_alias *oldest = NULL;
  for (int i = 0; i < MOST; i++) {
    struct mpipp_alias *one = &aliases[i];
    if (one->memory && !one->busy && (!oldest || one->used < oldest->used)) oldest = one;
  }
  return oldest;
}

static int is_mapped(const struct mpipp_plan *plan) {
  for (int i = 0; i < MOST; i++) {
    if (!aliases[i].busy && matches_plan(&aliases[i], plan)) return 1;
  }
  return 0;
}

// Returns whether the limit allows one more alias and its pages. To make space, drops aliases that
// no operation uses.
static int make_room(const struct mpipp_plan *plan) {
  uint64_t more = mappings_of(plan->run_count) + 2 * plan->run_count;
  while (mpipp_guard_pages_mappings() + mappings + more > mapping_limit() && !is_mapped(plan)) {
    struct mpipp_alias *oldest = oldest_unused_window();
    if (!oldest) {
      errno = ENOMEM;
      return 0;
    }
    forget(oldest);
  }
  return 1;
}

static int map_pages(const struct mpipp_piece *runs, uint64_t count,
                     int (*share)(uint64_t low, uint64_t high)) {
  mpipp_guard_recheck_io_uring();
  for (uint64_t i = 0; i < count; i++) {
    if (!share(runs[i].low, runs[i].high)) return 0;
  }
  return count > 0;
}

static int make(struct mpipp_alias *alias, const struct mpipp_plan *plan) {
  void *memory = mmap(NULL, plan->bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return 0;
  alias->memory = memory;
  alias->low = plan->low;
  alias->bytes = plan->bytes;
  alias->edges = mpipp_guard_allocate((plan->edge_count + 1) * sizeof *alias->edges);
  int done = alias->edges != NULL;
  for (uint64_t i = 0; done && i < plan->run_count; i++) {
    const struct mpipp_piece *run = &plan->runs[i];
    done = mpipp_guard_pages_show(alias->memory + (run->low - plan->low), run->low, run->high);
  }
  mappings += mappings_of(done ? plan->run_count : 0);
  if (!done) {
    forget(alias);
    return 0;
  }
  memcpy(alias->edges, plan->edges, plan->edge_count * sizeof *plan->edges);
  memcpy(alias->runs, plan->runs, plan->run_count * sizeof *plan->runs);
  alias->edge_count = plan->edge_count;
  __atomic_store_n(&alias->run_count, plan->run_count, __ATOMIC_RELEASE);
  return 1;
}

static void add_edge(struct mpipp_plan *plan, uint64_t low, uint64_t high) {
  if (low < high) plan->edges[plan->edge_count++] = (struct mpipp_piece){low, high};
}

// Divides each block into whole pages and at most two edges. Returns 0 if blocks overlap.
static int divide(const struct mpipp_bytes *bytes, struct mpipp_plan *plan) {
  plan->low = mpipp_page_down(bytes->low);
  plan->bytes = mpipp_page_up(bytes->high) - plan->low;
  plan->run_count = plan->edge_count = 0;
  for (uint64_t i = 0, end = 0; i < bytes->count; i++) {
    struct mpipp_piece piece = mpipp_piece_of(bytes, i);
    uint64_t from = mpipp_page_up(piece.low), to = mpipp_page_down(piece.high);
    if (piece.low < end) return 0;
    end = piece.high;
    if (from >= to) {
      add_edge(plan, piece.low, piece.high);
      continue;
    }
    add_edge(plan, piece.low, from);
    plan->runs[plan->run_count++] = (struct mpipp_piece){from, to};
    add_edge(plan, to, piece.high);
  }
  return plan->run_count > 0;
}

// Returns whether blocks are large enough for an alias: each is mapped separately, and gaps between
// them use address space.
static int is_worthwhile(const struct mpipp_bytes *bytes) {
  if (!bytes->count || bytes->count > MOST_BLOCKS) return 0;
  if (bytes->count > 1 && bytes->strided.count && bytes->strided.length < MPIPP_PAGE) return 0;
  return bytes->total >= MPIPP_PAGE && (bytes->high - bytes->low) / MOST_SPARSE <= bytes->total;
}

int mpipp_guard_aliases_overlap(uint64_t low, uint64_t high) {
  for (int i = 0; i < MOST; i++) {
    const struct mpipp_alias *one = &aliases[i];
    uint64_t run = one->busy ? mpipp_guard_alias_run(one, low) : one->run_count;
    if (run < one->run_count && one->runs[run].low < high) return 1;
  }
  return 0;
}

static int is_seen(uint64_t low, uint64_t high) {
  return mpipp_guard_is_exposed(low, high) || mpipp_guard_aliases_overlap(low, high);
}

void mpipp_guard_aliases_forget(uint64_t low, uint64_t high) {
  mpipp_guard_pages_forget(low, high, is_seen);
}

// Shares pages that the program may use at the same time. System calls of other threads of the
// program would fail there, so it must have no other threads. MPI's own threads may run the
// program's signal handlers, which wait.
static int share_used_pages(uint64_t low, uint64_t high) {
  mpipp_guard_pages_contend(1);
  int done = (mpipp_guard_pages_exist(low, high) || mpipp_guard_has_one_thread()) &&
             mpipp_guard_pages_share(low, high);
  mpipp_guard_pages_contend(0);
  return done;
}

static int (*const sharing[])(uint64_t, uint64_t) = {
    [MPIPP_SHARE_NOW] = mpipp_guard_pages_share,
    [MPIPP_SHARE_AT_START] = mpipp_guard_pages_may_share,
    [MPIPP_SHARE_USED] = share_used_pages,
};

// If the limit is reached, aliases of memory that no longer exists may be the reason: drops them,
// and tries again.
static int share_planned_pages(const struct mpipp_plan *plan, enum mpipp_sharing how) {
  enum { SELDOM = 64 };
  static unsigned refused;
  if (make_room(plan) && map_pages(plan->runs, plan->run_count, sharing[how])) return 1;
  if (errno != ENOMEM || refused++ % SELDOM) return 0;
  mpipp_guard_aliases_forget(0, ~(uint64_t)0);
  errno = 0;
  return make_room(plan) && map_pages(plan->runs, plan->run_count, sharing[how]);
}

struct mpipp_alias *mpipp_guard_alias_take(const struct mpipp_bytes *bytes,
                                           enum mpipp_sharing how) {
  static struct mpipp_plan plan;
  if (mpipp_guard_uses_io_uring || !is_worthwhile(bytes) || !divide(bytes, &plan)) return NULL;
  int saved = errno;
  errno = 0;
  int is_shared = share_planned_pages(&plan, how);
  struct mpipp_alias *alias = is_shared ? choose(&plan) : NULL;
  if (alias && !alias->memory && !make(alias, &plan)) alias = NULL;
  mpipp_guard_refused_aliases += !alias && errno == ENOMEM;
  errno = saved;
  if (!alias) return NULL;
  alias->used = ++uses;
  alias->busy = 1;
  return alias;
}

uint64_t mpipp_guard_alias_run(const struct mpipp_alias *alias, uint64_t address) {
  uint64_t first = 0, last = __atomic_load_n(&alias->run_count, __ATOMIC_ACQUIRE);
  if (last > MOST_BLOCKS) return last;
  while (first < last) {
    uint64_t middle = first + (last - first) / 2;
    if (alias->runs[middle].high > address)
      last = middle;
    else
      first = middle + 1;
  }
  return first;
}

int mpipp_guard_alias_has(const struct mpipp_alias *alias, uint64_t address) {
  uint64_t run = mpipp_guard_alias_run(alias, address);
  return run < alias->run_count && run < MOST_BLOCKS && alias->runs[run].low <= address;
}

void mpipp_guard_alias_open(const struct mpipp_alias *alias) {
  for (uint64_t i = 0; i < alias->run_count; i++)
    mpipp_guard_pages_allow(alias->runs[i].low, alias->runs[i].high, MPIPP_ALLOW_ALL);
}

static void copy(const struct mpipp_alias *alias, uint64_t start, uint64_t end, int back) {
  void *own = (void *)(uintptr_t)start;
  void *other = (void *)(uintptr_t)mpipp_alias_address(alias, start);
  if (start < end) memcpy(back ? own : other, back ? other : own, end - start);
}

static uint64_t larger(uint64_t one, uint64_t other) {
  return one > other ? one : other;
}

static uint64_t smaller(uint64_t one, uint64_t other) {
  return one < other ? one : other;
}

static void copy_pages(const struct mpipp_alias *alias, uint64_t low, uint64_t high, int back) {
  for (uint64_t i = 0; alias->apart && i < alias->run_count; i++)
    copy(alias, larger(low, alias->runs[i].low), smaller(high, alias->runs[i].high), back);
}

void mpipp_guard_alias_copy(const struct mpipp_alias *alias, uint64_t low, uint64_t high,
                            int back) {
  copy_pages(alias, low, high, back);
  for (uint64_t i = 0; i < alias->edge_count; i++)
    copy(alias, larger(low, alias->edges[i].low), smaller(high, alias->edges[i].high), back);
}

int mpipp_guard_alias_restart(struct mpipp_alias *alias, enum mpipp_sharing how) {
  int saved = errno;
  alias->apart = !map_pages(alias->runs, alias->run_count, sharing[how]);
  errno = saved;
  copy_pages(alias, 0, ~(uint64_t)0, 0);
  return !alias->apart;
}

void mpipp_guard_alias_empty(const struct mpipp_alias *alias) {
  copy_pages(alias, 0, ~(uint64_t)0, 1);
}

void mpipp_guard_alias_give(struct mpipp_alias *alias) {
  alias->busy = alias->apart = 0;
}
