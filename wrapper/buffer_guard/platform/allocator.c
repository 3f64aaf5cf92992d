// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "buffer_guard/platform/allocator.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// The sizes of blocks are powers of two; SMALLEST and LARGEST are exponents. A larger block gets a
// mapping of its own.
enum { SMALLEST = 6, LARGEST = 17, CHUNK = 1 << 20, ALIGNED = 16 };

struct mpipp_guard_block {
  uint64_t bytes; // including this header
  struct mpipp_guard_block *next;
};

static struct mpipp_guard_block *unused[LARGEST + 1];
static char *next, *end; // the unused rest of the last chunk

// Uses the system calls directly, because the C library's functions would report to the interposer,
// and MPI never gets this memory. The flags differ from those of the program's memory, so that the
// system does not merge the two mappings.
static void *map(uint64_t bytes) {
  int saved = errno, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  long memory = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0L);
  errno = saved;
  return memory == -1 ? NULL : (void *)(uintptr_t)memory;
}

static struct mpipp_guard_block *cut(uint64_t bytes) {
  if ((uint64_t)(end - next) < bytes) {
    char *chunk = map(CHUNK);
    if (!chunk) return NULL;
    next = chunk;
    end = chunk + CHUNK;
  }
  struct mpipp_guard_block *block = (struct mpipp_guard_block *)(void *)next;
  next += bytes;
  return block;
}

static unsigned size_of(uint64_t bytes) {
  return bytes <= 1u << SMALLEST ? SMALLEST : 64 - (unsigned)__builtin_clzll(bytes - 1);
}

void *mpipp_guard_allocate(uint64_t bytes) {
  _Static_assert(sizeof(struct mpipp_guard_block) == ALIGNED, "what follows is aligned");
  if (bytes > UINT64_MAX / 4) return NULL;
  bytes += sizeof(struct mpipp_guard_block);
  unsigned size = size_of(bytes);
  struct mpipp_guard_block *block;
  if (size > LARGEST) {
    block = map(bytes);
  } else {
    bytes = (uint64_t)1 << size;
    block = unused[size];
    if (block)
      unused[size] = block->next;
    else
      block = cut(bytes);
  }
  if (block) block->bytes = bytes;
  return block ? block + 1 : NULL;
}

void mpipp_guard_free(void *memory) {
  if (!memory) return;
  struct mpipp_guard_block *block = (struct mpipp_guard_block *)memory - 1;
  if (block->bytes > (uint64_t)1 << LARGEST) {
    int saved = errno;
    syscall(SYS_munmap, block, block->bytes);
    errno = saved;
    return;
  }
  unsigned size = size_of(block->bytes);
  block->next = unused[size];
  unused[size] = block;
}
