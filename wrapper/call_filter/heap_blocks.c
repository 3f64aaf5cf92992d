// SPDX-License-Identifier: MIT
// Follows glibc's malloc/malloc.c ("chunk") and malloc/arena.c: the main heap, the heaps of other
// threads' arenas, and blocks with a mapping of their own.
#define _GNU_SOURCE
#include "call_filter/heap_blocks.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "call_filter/read_only_memory.h"
#include "watcher_client/queries.h"

enum {
  WORD = 8,
  HEAD = 2 * WORD, // two words before a block: the size of the previous block if that is free, and
                   // the size of this one
  IN_USE = 1,      // flag in the size: the previous block is in use
  MAPPED = 2,
  ARENA = 4,
  FLAGS = 7,
  LEAST = 32, // bytes of the smallest block, with its head
  PAGE = 4096,
  COPY = 1 << 16,
  MOST_BLOCKS = 1 << 20,
  MOST_BYTES = 1 << 27, // limit for all heaps together, which takes about 70 ms to read
  MOST_STARTS = 16,
  ARENA_BYTES = 1 << 26, // the heap of a thread's arena begins at a multiple of this
  ARENA_STATE = 2200,    // bytes of an arena's state, at the start of its first heap
  HEAP_INFO = 32,        // bytes of a heap's head; glibc 2.35 and later have the next value
  NEW_HEAP_INFO = 48,
};

struct mpipp_heap_walk {
  uint64_t address, break_now;
  uint64_t start, end;            // the mapping that contains the address
  uint64_t start_of[MOST_STARTS]; // start addresses of adjacent mappings, up to that one
  uint64_t starts, run_end;
  int is_heap, is_done;
  uint64_t step;          // number of bytes that are read at once
  uint64_t copied, bytes; // the range of addresses that `copy` has
  char copy[COPY];
};

// Visits a mapping of the process. A heap may consist of several adjacent mappings, for example if
// a library keeps some pages from the children of a fork.
static void find(void *context, uint64_t start, uint64_t end, const char *mode) {
  struct mpipp_heap_walk *walk = context;
  // 00:00: a mapping without a file.
  int is_private = !strncmp(mode, "rw-p", 4) && strstr(mode, " 00:00 ");
  if (!is_private || walk->is_done) return;
  if (start != walk->run_end) {
    walk->is_done = walk->end != 0;
    walk->starts = walk->is_done ? walk->starts : 0;
    if (walk->is_done) return;
  }
  walk->run_end = end;
  if (walk->starts < MOST_STARTS && start <= walk->address) walk->start_of[walk->starts++] = start;
  if (walk->address >= start && walk->address < end) {
    walk->start = start;
    walk->end = end;
  }
  if (walk->end && start < walk->break_now && walk->break_now <= end) walk->is_heap = 1;
}

static uint64_t bytes_read; // total of all searches

// Reads the word at an address in the mapping; returns 0 if that fails. The word is read by a
// system call, because another thread may return the memory to the system at any time.
static int word(struct mpipp_heap_walk *walk, uint64_t address, uint64_t *value) {
  if (address < walk->start || address + WORD > walk->end) return 0;
  if (address < walk->copied || address + WORD > walk->copied + walk->bytes) {
    uint64_t left = walk->end - address;
    walk->bytes = left < walk->step ? left : walk->step;
    walk->copied = address;
    if (bytes_read > MOST_BYTES) return 0;
    bytes_read += walk->bytes;
    if (!mpipp_watcher_read_own(walk->copy, address, walk->bytes)) return 0;
  }
  memcpy(value, walk->copy + (address - walk->copied), WORD);
  return 1;
}

// Walks the chunks of a heap from an address on. arena: the flag that the sizes of its blocks have.
static int in_heap(struct mpipp_heap_walk *walk, uint64_t at, uint64_t arena,
                   struct mpipp_heap_block *block) {
  uint64_t head, after;
  for (int i = 0; i < MOST_BLOCKS && word(walk, at + WORD, &head); i++) {
    uint64_t size = head & ~(uint64_t)FLAGS;
    if (size < LEAST || size % HEAD || size > walk->end - at) return 0;
    if (head & (MAPPED | (ARENA & ~arena)) || walk->address < at + HEAD) return 0;
    if (walk->address < at + size + WORD) {
      if ((head & ARENA) != arena) return 0;
      *block = (struct mpipp_heap_block){at + HEAD, at + size + WORD};
      return word(walk, at + size + WORD, &after) && after & IN_USE;
    }
    at += size;
  }
  return 0;
}

// Searches the heap of another thread's arena, which begins at `start`.
static int in_arena(struct mpipp_heap_walk *walk, uint64_t start, struct mpipp_heap_block *block) {
  uint64_t arena, before, size;
  if (!word(walk, start, &arena) || !word(walk, start + WORD, &before)) return 0;
  if (!word(walk, start + 2 * WORD, &size)) return 0;
  const uint64_t info = arena % ARENA_BYTES;
  if ((info != HEAP_INFO && info != NEW_HEAP_INFO) || size > walk->end - start) return 0;
  // Only the first heap of an arena contains the arena's state.
  if ((arena == start + info) == !!before) return 0;
  uint64_t at = start + info + (before ? 0 : ARENA_STATE);
  at = (at + HEAD - 1) & ~(uint64_t)(HEAD - 1);
  walk->end = start + size;
  return in_heap(walk, at, ARENA, block);
}

// Searches blocks with their own mappings. The system may have joined the mappings of several
// blocks.
static int in_mapping(struct mpipp_heap_walk *walk, struct mpipp_heap_block *block) {
  uint64_t at = walk->start, before, head;
  for (int i = 0; i < MOST_BLOCKS; i++) {
    if (!word(walk, at, &before) || !word(walk, at + WORD, &head)) return 0;
    uint64_t size = head & ~(uint64_t)FLAGS;
    if (before || (head & FLAGS) != MAPPED || !size || size % PAGE || size > walk->end - at)
      return 0;
    if (walk->address < at + HEAD) return 0;
    if (walk->address < at + size) {
      *block = (struct mpipp_heap_block){at + HEAD, at + size};
      return 1;
    }
    at += size;
  }
  return 0;
}

int mpipp_filter_heap_block(uint64_t address, struct mpipp_heap_block *block) {
#if defined(__GLIBC__) && defined(__LP64__)
  static struct mpipp_heap_walk walk; // too large for small stacks; used with the store's lock
  int saved = errno;
  memset(&walk, 0, offsetof(struct mpipp_heap_walk, copy));
  walk.address = address;
  walk.break_now = (uintptr_t)sbrk(0);
  mpipp_filter_visit_mappings(find, &walk);
  errno = saved;
  if (!walk.end) return 0;
  walk.step = walk.is_heap ? COPY : HEAD; // a large block may have pages that were never used, so
                                          // only heads are read
  if (!walk.is_heap) {
    if (in_mapping(&walk, block)) return 1;
    walk.step = COPY;
    return in_arena(&walk, address & ~(uint64_t)(ARENA_BYTES - 1), block);
  }
  // The program's variables may be directly before the heap.
  walk.end = walk.run_end;
  for (uint64_t i = 0; i < walk.starts; i++) {
    walk.start = walk.start_of[i];
    if (in_heap(&walk, walk.start, 0, block)) return 1;
  }
  return 0;
#else
  (void)address, (void)block;
  return 0;
#endif
}
