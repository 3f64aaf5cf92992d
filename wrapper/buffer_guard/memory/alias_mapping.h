// SPDX-License-Identifier: MIT
// The memory that MPI gets in place of a buffer. Pages that contain only the buffer are the
// program's own, mapped at another address; the rest of its bytes is a copy. A window is kept for
// the next operation with the same buffer. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_ALIAS_MAPPING_H
#define MPIPP_BUFFER_GUARD_MEMORY_ALIAS_MAPPING_H

#include "buffer_guard/memory/byte_set.h"

struct mpipp_window {
  char *memory;        // NULL: none
  uint64_t low, bytes; // the first page that it stands for, and the number of bytes
  uint64_t used;       // number of the last use
  uint32_t busy;       // 1: an operation uses it
  uint32_t apart;      // 1: its own pages are a copy, too
  // The pages that are the program's own, in order. Their address is the same in each window:
  // signal handlers may read them when they belong to another window.
  uint64_t run_count;
  struct mpipp_piece *runs;
  // The copied bytes, in order.
  uint64_t edge_count;
  struct mpipp_piece *edges;
};

// When its pages become shared with MPI. NOW: they belong to MPI from now on. LATER: when the
// operation is started. USED: at once, though the program may still use them.
enum mpipp_sharing { MPIPP_SHARE_NOW, MPIPP_SHARE_AT_START, MPIPP_SHARE_USED };

// A window for a buffer; NULL without.
struct mpipp_window *mpipp_guard_window_take(const struct mpipp_bytes *bytes,
                                             enum mpipp_sharing how);
// Returns whether an operation has one with pages in [low, high).
int mpipp_guard_windows_overlap(uint64_t low, uint64_t high);
// Drops windows whose memory in [low, high) the program has freed, and that no operation uses.
void mpipp_guard_windows_forget(uint64_t low, uint64_t high);
// The first of its pages that end beyond an address; the number of all if there are none. For
// signal handlers, too.
uint64_t mpipp_guard_window_run(const struct mpipp_window *window, uint64_t address);
// Returns whether an address is in one of them. For signal handlers, too.
int mpipp_guard_window_has(const struct mpipp_window *window, uint64_t address);
// The number of buffers that got no window because of the limit of mappings. A part of those that
// the system allows is left to the program and MPI.
extern uint64_t mpipp_guard_refused_windows __attribute__((visibility("hidden")));
// Opens its pages to the program. For signal handlers, too.
void mpipp_guard_window_open(const struct mpipp_window *window);
// MPI's address for an address of the buffer.
static inline uint64_t mpipp_window_address(const struct mpipp_window *window, uint64_t address) {
  return (uint64_t)(uintptr_t)window->memory + (address - window->low);
}
// A completed persistent operation is started again. The program may have freed the pages
// meanwhile: if they cannot be shared any more (0), they are a copy until the next time.
int mpipp_guard_window_restart(struct mpipp_window *window, enum mpipp_sharing how);
void mpipp_guard_window_empty(const struct mpipp_window *window);
// Copies the copied bytes in [low, high) from the program's memory to the window, or back.
void mpipp_guard_window_copy(const struct mpipp_window *window, uint64_t low, uint64_t high,
                             int back);
// It may be used again.
void mpipp_guard_window_give(struct mpipp_window *window);

#endif
