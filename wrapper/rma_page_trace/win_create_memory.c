// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "rma_page_trace/win_create_memory.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "buffer_guard/faults/faults.h"
#include "buffer_guard/memory/pages.h"
#include "buffer_guard/memory/remappable_regions.h"
#include "buffer_guard/platform/io_uring.h"
#include "layout/strided_blocks.h"
#include "recorder/objects/window_aliases.h"
#include "rma_page_trace/quiescence.h"
#include "rma_page_trace/window_pages.h"

enum { MOST = 256 };
#define MOST_BYTES ((uint64_t)1 << 30) // limit for all traced windows together

// The existing windows of MPI_Win_create, and their pages.
static struct mpipp_win_create {
  uint64_t win, base, end;
  uint64_t low, high;
  uint64_t shift;       // distance to MPI's addresses; 0: MPI has the program's addresses
  uint64_t first, last; // range of the pages that contain only the window's bytes
  int has_neighbors;    // 1: the window's pages also contain other memory of the program
  int is_there;
} all[MOST];
static int has_more; // 1: there are windows beyond the capacity, so any memory may belong to a
                     // window
static __thread struct mpipp_win_create *making __attribute__((tls_model("initial-exec")));

static int meets(const struct mpipp_win_create *one, uint64_t low, uint64_t high) {
  return one->is_there && one->low < high && low < one->high;
}

// Returns whether another window, which MPI accesses at the program's addresses, uses the same
// pages.
static int shares_pages(const struct mpipp_win_create *self) {
  for (int i = 0; i < MOST; i++) {
    const struct mpipp_win_create *one = &all[i];
    if (one != self && !one->shift && meets(one, self->low, self->high)) return 1;
  }
  return has_more;
}

// Returns whether the system has memory for the exchange: it allocates pages that the program has
// not used yet.
static int has_memory(uint64_t size) {
  uint64_t bytes = size;
  for (int i = 0; i < MOST; i++)
    if (all[i].is_there && all[i].shift) bytes += all[i].end - all[i].base;
  return size <= MOST_BYTES && bytes <= MOST_BYTES;
}

// Finds the mapping around the window's bytes. Returns 0 if the mapping's pages must not be
// exchanged.
static int find_surroundings(struct mpipp_win_create *made) {
  uint64_t start, end;
  struct mpipp_mapping mapping;
  made->first = mpipp_page_up(made->base);
  made->last = mpipp_page_down(made->end);
  int is_whole = made->low == made->base && made->high == made->end;
  made->has_neighbors = !is_whole;
  if (mpipp_guard_is_static_memory(made->base, made->end)) return 1;
  if (mpipp_guard_is_in_block(made->base, made->end, &start, &end)) {
    int is_first = made->base == start + MPIPP_BLOCK_HEAD;
    if (is_first) made->first = start;
    if (is_first && made->high == end) made->has_neighbors = 0;
    return 1;
  }
  // The heap also contains blocks of the C library and MPI, between the program's.
  return is_whole && mpipp_guard_mapping_at(made->low, &mapping) && mapping.end >= made->high &&
         mpipp_guard_is_remappable(&mapping, made->low, made->high);
}

static uint64_t view_of(const struct mpipp_win_create *made) {
  uint64_t bytes = made->high - made->low;
  void *view = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (view == MAP_FAILED) return 0;
  if (mpipp_guard_pages_show(view, made->low, made->high) &&
      mpipp_recorder_alias_add(made->low, made->high, (uint64_t)(uintptr_t)view - made->low))
    return (uint64_t)(uintptr_t)view - made->low;
  munmap(view, bytes);
  return 0;
}

static int share(const struct mpipp_win_create *made) {
  mpipp_guard_faults_catch(); // other threads may store to the pages meanwhile
  mpipp_guard_recheck_io_uring();
  mpipp_guard_pages_contend(1);
  int done = mpipp_guard_pages_share_remappable(made->low, made->high);
  mpipp_guard_pages_contend(0);
  return done;
}

// Makes the pages private to the program again, unless another window uses them.
static void unshare(const struct mpipp_win_create *made) {
  for (int i = 0; i < MOST; i++)
    if (&all[i] != made && meets(&all[i], made->low, made->high)) return;
  mpipp_guard_faults_catch();
  mpipp_guard_pages_unshare(made->low, made->high);
}

uint64_t mpipp_trace_win_create_begin(uint64_t base, uint64_t size, int others) {
  making = NULL;
  for (int i = 0; i < MOST && !making; i++)
    if (!all[i].is_there) making = &all[i];
  if (!making) {
    has_more = 1;
    return base;
  }
  *making = (struct mpipp_win_create){.base = base,
                                      .end = base + size,
                                      .low = mpipp_page_down(base),
                                      .high = mpipp_page_up(base + size),
                                      .is_there = 1};
  int saved = errno;
  mpipp_trace_areas_open_all(); // open them, because their content is read
  if (!others && has_memory(size) && find_surroundings(making) && making->first < making->last &&
      !shares_pages(making) && mpipp_guard_pages_open() &&
      mpipp_trace_is_quiet(making->low, making->high, making->has_neighbors) && share(making))
    making->shift = view_of(making);
  errno = saved;
  if (!making->shift)
    mpipp_trace_areas_leave(base, base + size); // another window may use them, too
  return base + making->shift;
}

static void show_view(struct mpipp_win_create *made) {
  const struct mpipp_area_of area = {made->base,  made->end,  made->low,  made->high,
                                     made->first, made->last, made->shift};
  if (made->shift && !shares_pages(made)) mpipp_trace_area_add_program(made->win, &area);
}

static void end(struct mpipp_win_create *made, int others) {
  uint64_t bytes = made->high - made->low;
  made->is_there = 0;
  if (!made->shift) return;
  mpipp_recorder_alias_drop(made->low, made->shift);
  // If not, MPI may still use buffers of the program in the second mapping, so it stays.
  if (!others && mpipp_trace_is_quiet(made->low, made->high, made->has_neighbors)) {
    munmap((void *)(uintptr_t)(made->low + made->shift), bytes);
    if (!shares_pages(made)) unshare(made);
  }
  for (int i = 0; i < MOST; i++)
    if (meets(&all[i], made->low, made->high)) show_view(&all[i]);
}

static int64_t pages_of(const struct mpipp_win_create *one) {
  return (int64_t)(one->high - one->low) / MPIPP_PAGE;
}

void mpipp_trace_win_create_end(uint64_t win) {
  if (!making) return;
  making->win = win;
  if (win) mpipp_trace_areas_count(pages_of(making));
  if (win)
    show_view(making);
  else
    end(making, 1);
  making = NULL;
}

void mpipp_trace_win_create_free(uint64_t win, int others) {
  for (int i = 0; i < MOST; i++)
    if (all[i].is_there && all[i].win == win) {
      mpipp_trace_areas_count(-pages_of(&all[i]));
      end(&all[i], others);
    }
}

void mpipp_trace_win_create_free_memory(uint64_t start, uint64_t bytes) {
  mpipp_trace_areas_leave(start, start + bytes);
  // malloc moves or unmaps a block with a mapping of its own immediately.
  uint64_t first, last;
  if (bytes < MPIPP_PAGE / 2 || !mpipp_guard_pages_have_exchanged(start, start + bytes)) return;
  mpipp_trace_areas_open_all();
  if (!mpipp_guard_is_in_block(start, start + bytes, &first, &last)) return;
  mpipp_guard_faults_catch();
  mpipp_guard_pages_unshare(first, last);
}
