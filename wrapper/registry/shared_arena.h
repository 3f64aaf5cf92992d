// SPDX-License-Identifier: MIT
// The memory of a watched program's records: a memory file, which the watcher reads, too. All of
// these with the store's lock (mpipp_registry_lock_slow).
#ifndef MPIPP_REGISTRY_SHARED_ARENA_H
#define MPIPP_REGISTRY_SHARED_ARENA_H

#include <stdint.h>

#include "generated/layouts.h"

enum { MPIPP_REGIONS = 64 };

// 1 if there is such a file.
extern int mpipp_registry_is_shared __attribute__((visibility("hidden")));

// A piece of the program's memory that is a piece of the file.
struct mpipp_region {
  uint64_t address, offset, bytes;
};
MPIPP_LAYOUT(mpipp_region);

// The data that a watcher reads first. It is in the first region.
struct mpipp_arena {
  uint64_t count;     // of the regions; they are added, and stay
  uint64_t not_there; // pieces of memory for which the file could not be enlarged
  // Lines of /proc/self/maps, for code, as they were when the first MPI call was made.
  uint64_t code, code_bytes;
  struct mpipp_region regions[MPIPP_REGIONS];
};
MPIPP_LAYOUT(mpipp_arena);

// Moves whole pages of the library's variables, which include `arena`, into a new file. Returns 0
// if there is no file; nothing has changed then.
int mpipp_registry_arena_open(void *pages, uint64_t bytes, struct mpipp_arena *arena);
// The file, -1 if there is none or the program has closed it.
int mpipp_registry_arena_file(void);

// The first returns zeroed memory in the file, which is never freed. The second returns a block,
// which `free` below frees. NULL: there is no file, or no space.
void *mpipp_registry_arena_map(uint64_t bytes);
void *mpipp_registry_arena_allocate(uint64_t bytes);
// Returns whether an address is in the memory of the file; takes no lock.
int mpipp_registry_arena_has(const void *memory);
void mpipp_registry_arena_free(void *block);

// The child of a fork gets memory of its own, with the content at the fork.
void mpipp_registry_arena_before_fork(void);
void mpipp_registry_arena_after_fork(void);
void mpipp_registry_arena_after_fork_in_child(void);

#endif
