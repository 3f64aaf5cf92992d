// SPDX-License-Identifier: MIT
// Aliases: the memory that MPI gets in place of a buffer. A page that contains only the buffer is
// the program's own page, mapped at a second address. The rest of the buffer's bytes is copied. An
// alias is kept for the next operation with the same buffer. The caller holds the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_ALIAS_MAPPING_H
#define MPIPP_BUFFER_GUARD_MEMORY_ALIAS_MAPPING_H

#include "buffer_guard/memory/byte_set.h"

struct mpipp_alias {
  char *memory;        // the alias's memory; NULL: the entry is unused
  uint64_t low, bytes; // the first of the program's pages that it replaces, and the number of bytes
  uint64_t used;       // ordinal of the last use
  uint32_t busy;       // 1: an operation uses the alias
  uint32_t apart;      // 1: its whole pages are copied, too, and not shared
  // The runs of pages that are the program's own, in order. `runs` has the same address in every
  // use of the alias, because signal handlers may read it while the alias is reused.
  uint64_t run_count;
  struct mpipp_piece *runs;
  // The bytes at the edges that are copied, in order.
  uint64_t edge_count;
  struct mpipp_piece *edges;
};

// The time when the alias's pages become shared with MPI. NOW: immediately; they belong to MPI.
// AT_START: when the operation is started. USED: immediately, but the program may still use them.
enum mpipp_sharing { MPIPP_SHARE_NOW, MPIPP_SHARE_AT_START, MPIPP_SHARE_USED };

// An alias for a buffer. Returns NULL if it cannot have one.
struct mpipp_alias *mpipp_guard_alias_take(const struct mpipp_bytes *bytes, enum mpipp_sharing how);
// Returns whether an operation uses an alias with pages in [low, high).
int mpipp_guard_aliases_overlap(uint64_t low, uint64_t high);
// Drops the aliases that no operation uses and whose memory in [low, high) the program has freed.
void mpipp_guard_aliases_forget(uint64_t low, uint64_t high);
// The index of the first run of pages that ends after an address; the number of runs if there is
// none. Signal handlers may call it.
uint64_t mpipp_guard_alias_run(const struct mpipp_alias *alias, uint64_t address);
// Returns whether an address is in one of the alias's pages. Signal handlers may call it.
int mpipp_guard_alias_has(const struct mpipp_alias *alias, uint64_t address);
// The number of buffers without an alias because of the limit for mappings. The limit leaves a
// part of the mappings that the system allows to the program and MPI.
extern uint64_t mpipp_guard_refused_aliases __attribute__((visibility("hidden")));
// Opens the alias's pages to the program. Signal handlers may call it.
void mpipp_guard_alias_open(const struct mpipp_alias *alias);
// MPI's address for an address of the program's buffer.
static inline uint64_t mpipp_alias_address(const struct mpipp_alias *alias, uint64_t address) {
  return (uint64_t)(uintptr_t)alias->memory + (address - alias->low);
}
// A completed persistent operation is started again. The program may have freed the pages since. If
// they can no longer be shared, the function returns 0, and they are copied until the next restart.
int mpipp_guard_alias_restart(struct mpipp_alias *alias, enum mpipp_sharing how);
void mpipp_guard_alias_empty(const struct mpipp_alias *alias);
// Copies the edge bytes in [low, high) from the program's memory to the alias, or with `back` from
// the alias to the program.
void mpipp_guard_alias_copy(const struct mpipp_alias *alias, uint64_t low, uint64_t high, int back);
// Returns the alias, so that another operation may use it.
void mpipp_guard_alias_give(struct mpipp_alias *alias);

#endif
