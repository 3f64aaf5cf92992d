// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "buffer_guard/memory/remappable_regions.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "layout/strided_blocks.h"

enum { MOST = 256, IS_MAPPED = 2, FLAGS = 7, HEAD = MPIPP_BLOCK_HEAD };

// Blocks for which malloc has created a mapping of their own.
static struct mpipp_known_block { uint64_t start, end; } blocks[MOST];
static unsigned next_block;

// glibc 2.35 and later have this function, which takes no lock. The build may have an older glibc.
struct mpipp_loaded_object { // the beginning of struct dl_find_object
  unsigned long long flags;
  void *start, *end, *link_map;
  uint64_t rest[8];
};
extern int find_loaded_object(void *address,
                              struct mpipp_loaded_object *found) __asm__("_dl_find_object")
    __attribute__((weak));

struct mpipp_sought {
  uint64_t address, end;
  const void *object;
};

static int visit_object(struct dl_phdr_info *info, size_t bytes, void *with) {
  struct mpipp_sought *sought = with;
  (void)bytes;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uint64_t low = info->dlpi_addr + header->p_vaddr, high = low + header->p_memsz;
    if (header->p_type != PT_LOAD) continue;
    sought->end = mpipp_page_up(high); // program headers are sorted, so the last one is the highest
    if (sought->address >= mpipp_page_down(low) && sought->address < sought->end)
      sought->object = info->dlpi_phdr;
  }
  return sought->object != NULL;
}

// Finds the loaded object (library or program) that contains an address, and the end of its last
// page. Returns NULL if there is none. Does not use dladdr, which needs a lock that dlopen holds
// while constructors run. A constructor in a checked system call may wait for the guard's lock.
static const void *object_of(uint64_t address, uint64_t *end) {
  if (find_loaded_object) {
    struct mpipp_loaded_object found;
    if (find_loaded_object((void *)(uintptr_t)address, &found)) return NULL;
    *end = mpipp_page_up((uint64_t)(uintptr_t)found.end);
    return found.link_map;
  }
  struct mpipp_sought sought = {.address = address};
  dl_iterate_phdr(visit_object, &sought);
  *end = sought.end;
  return sought.object;
}

int mpipp_guard_is_static_memory(uint64_t low, uint64_t high) {
  uint64_t end;
  const void *object = object_of(low, &end);
  return object && object_of(high - 1, &end) == object;
}

// The end of the malloc block that begins at an address; 0 if none does. malloc writes two words
// before each block. The first word is the used size of the memory before the block (0 here). The
// second is the length, with a mark for blocks that have their own mapping.
static uint64_t block_end(uint64_t start) {
  const uint64_t *head = (const uint64_t *)(uintptr_t)start;
  uint64_t bytes = head[1] & ~(uint64_t)FLAGS;
  int is_block = head[0] == 0 && (head[1] & FLAGS) == IS_MAPPED && bytes && !(bytes % MPIPP_PAGE);
  return is_block ? start + bytes : 0;
}

static const struct mpipp_known_block *block_around(uint64_t low, uint64_t high) {
  for (int i = 0; i < MOST; i++) {
    const struct mpipp_known_block *block = &blocks[i];
    if (low < block->start + HEAD || high > block->end) continue;
    struct mpipp_mapping mapping;
    if (!mpipp_guard_mapping_at(block->start, &mapping) || !mapping.readable) continue;
    if (block_end(block->start) == block->end) return block;
  }
  return NULL;
}

// The address in a mapping where a malloc block may begin. A mapping may begin with the rest of a
// block whose other pages were exchanged, or with static memory of a library. A known block may
// also have been freed, and replaced by a smaller one at its end.
static uint64_t first_in(const struct mpipp_mapping *mapping) {
  uint64_t end = 0;
  if (block_end(mapping->start)) return mapping->start;
  for (int i = 0; i < MOST; i++) {
    if (mapping->start > blocks[i].start && mapping->start < blocks[i].end) return blocks[i].end;
  }
  return object_of(mapping->start, &end) ? end : mapping->start;
}

static const struct mpipp_known_block *keep(uint64_t start, uint64_t end) {
  struct mpipp_known_block *found = &blocks[next_block++ % MOST];
  *found = (struct mpipp_known_block){start, end};
  return found;
}

// Finds a block by its own head, if the memory begins in the block's first or second page. The main
// heap and the heaps of threads (at multiples of 64 MB) have no such blocks.
static uint64_t head_of(const struct mpipp_mapping *mapping, uint64_t low) {
  uint64_t start = mpipp_page_down(low - HEAD);
  int is_heap = !strcmp(mapping->name, "[heap]") || mapping->start % ((uint64_t)64 << 20) == 0;
  return is_heap || start < mapping->start ? 0 : start;
}

// Finds the block by walking from one block to the next. The system places equal mappings together,
// each one below the previous one. Other mappings, such as a thread's stack or MPI's memory, may be
// between them.
static const struct mpipp_known_block *find_block(const struct mpipp_mapping *mapping, uint64_t low,
                                                  uint64_t high) {
  const struct mpipp_known_block *known = block_around(low, high);
  if (known) return known;
  for (uint64_t start = first_in(mapping); start < low;) {
    uint64_t end = block_end(start);
    if (!end || end > mapping->end) break;
    if (start + HEAD <= low && high <= end) return keep(start, end);
    start = end;
  }
  uint64_t start = head_of(mapping, low), end = start ? block_end(start) : 0;
  return high <= end && end <= mapping->end ? keep(start, end) : NULL;
}

int mpipp_guard_is_in_block(uint64_t low, uint64_t high, uint64_t *start, uint64_t *end) {
  struct mpipp_mapping mapping;
  if (!mpipp_guard_mapping_at(low, &mapping) || !mapping.readable) return 0;
  const struct mpipp_known_block *found =
      mapping.inode ? block_around(low, high) : find_block(&mapping, low, high);
  if (!found) return 0;
  *start = found->start;
  *end = found->end;
  return 1;
}

int mpipp_guard_is_remappable(const struct mpipp_mapping *mapping, uint64_t low, uint64_t high) {
  if (strcmp(mapping->name, "[heap]") == 0) return 1;
  if (mpipp_guard_is_static_memory(low, high)) return 1;
  return !mapping->inode && mapping->readable && find_block(mapping, low, high);
}
