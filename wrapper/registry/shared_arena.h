// SPDX-License-Identifier: MIT
// The memory for the records of a watched program: a memory file, which the watcher reads, too. The
// caller holds the store's lock (mpipp_registry_lock_slow), unless a comment says otherwise.
#ifndef MPIPP_REGISTRY_SHARED_ARENA_H
#define MPIPP_REGISTRY_SHARED_ARENA_H

#include <stdint.h>

#include "generated/layouts.h"

enum { MPIPP_REGIONS = 64 };

// 1 if there is a file.
extern int mpipp_registry_is_shared __attribute__((visibility("hidden")));

// A piece of the program's memory that is mapped from the file.
struct mpipp_region {
  uint64_t address, offset, bytes;
};
MPIPP_LAYOUT(mpipp_region);

// The data that a watcher reads first, at the start of the first region.
struct mpipp_arena {
  uint64_t count;     // number of regions; regions are added, and never removed
  uint64_t not_there; // number of times that the file could not be extended
  // The lines of /proc/self/maps for code, as they were at the first MPI call.
  uint64_t code, code_bytes;
  struct mpipp_region regions[MPIPP_REGIONS];
};
MPIPP_LAYOUT(mpipp_arena);

// Moves whole pages of the library's variables, which include `arena`, to a new file. Returns 0 if
// there can be no file; then nothing has changed.
int mpipp_registry_arena_open(void *pages, uint64_t bytes, struct mpipp_arena *arena);
// The file's number; -1 if there is none, or the program has closed it.
int mpipp_registry_arena_file(void);

// mpipp_registry_arena_map returns zeroed memory in the file, which is never freed.
// mpipp_registry_arena_allocate returns a block, which mpipp_registry_arena_free frees. Both return
// NULL without a file or space.
void *mpipp_registry_arena_map(uint64_t bytes);
void *mpipp_registry_arena_allocate(uint64_t bytes);
// Returns whether an address is in the file's memory. Takes no lock.
int mpipp_registry_arena_has(const void *memory);
void mpipp_registry_arena_free(void *block);

// Call these around a fork, so that the child gets its own copy of the memory.
void mpipp_registry_arena_before_fork(void);
void mpipp_registry_arena_after_fork(void);
void mpipp_registry_arena_after_fork_in_child(void);

#endif
