// SPDX-License-Identifier: MIT
// What MPI is given in place of a buffer: the pages that the buffer has for itself are the
// program's own, seen at another place; of the rest of its bytes it is a copy. A window is kept for
// the next operation with the same buffer. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_ALIAS_MAPPING_H
#define MPIPP_BUFFER_GUARD_MEMORY_ALIAS_MAPPING_H

#include "buffer_guard/memory/byte_set.h"

struct mpipp_window {
  char *memory;        // NULL: none
  uint64_t low, bytes; // the first page that it stands for, and how many bytes
  uint64_t used;       // number of the last use
  uint32_t busy;       // 1: an operation has it
  uint32_t apart;      // 1: its own pages are a copy, too
  // The pages that are the program's own, in order. They lie where windows' always do: signal
  // handlers read them, when they are another's it may be.
  uint64_t run_count;
  struct mpipp_piece *runs;
  // The bytes that are a copy, in order.
  uint64_t edge_count;
  struct mpipp_piece *edges;
};

// When its pages become what MPI sees: at once, where they are MPI's from now on; when the
// operation is started; or at once, though the program may use them still.
enum mpipp_sharing { MPIPP_SHARE_NOW, MPIPP_SHARE_LATER, MPIPP_SHARE_USED };

// A window for a buffer; NULL without.
struct mpipp_window *mpipp_guard_window_take(const struct mpipp_bytes *bytes,
                                             enum mpipp_sharing how);
// Whether an operation has one with pages in [low, high).
int mpipp_guard_windows_meet(uint64_t low, uint64_t high);
// What the program has given back of [low, high), and no operation has, is not kept.
void mpipp_guard_windows_forget(uint64_t low, uint64_t high);
// The first of its pages that end beyond an address; the number of all if there are none. For
// signal handlers, too.
uint64_t mpipp_guard_window_run(const struct mpipp_window *window, uint64_t address);
// Whether an address is in one of them. For signal handlers, too.
int mpipp_guard_window_has(const struct mpipp_window *window, uint64_t address);
// Buffers that would have had one, had there been room for its mappings: as many as a part of those
// that the system allows a process are left to the program and MPI.
extern uint64_t mpipp_guard_windows_refused __attribute__((visibility("hidden")));
// The program may do anything with them. For signal handlers, too.
void mpipp_guard_window_open(const struct mpipp_window *window);
// What MPI sees of an address of the buffer.
static inline uint64_t mpipp_window_address(const struct mpipp_window *window, uint64_t address) {
  return (uint64_t)(uintptr_t)window->memory + (address - window->low);
}
// A persistent operation is started again; it is complete. The program may have given the pages
// back meanwhile: if they cannot be shared any more (0), they are a copy until the next time.
int mpipp_guard_window_again(struct mpipp_window *window, enum mpipp_sharing how);
void mpipp_guard_window_empty(const struct mpipp_window *window);
// What is a copy of the bytes [low, high): from the program's to the window's, or back.
void mpipp_guard_window_copy(const struct mpipp_window *window, uint64_t low, uint64_t high,
                             int back);
// It may be used again.
void mpipp_guard_window_give(struct mpipp_window *window);

#endif
