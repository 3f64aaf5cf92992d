// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "buffer_guard/compare/buffer_pool.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "buffer_guard/platform/allocator.h"

// Sizes are powers of two; these constants are their exponents.
enum { SMALLEST = 8, LARGEST = 32, SIZES = LARGEST + 1, LARGE = 20, MOST_LARGE = 8 };
#define MOST_BYTES                                                                                 \
  ((uint64_t)1 << 34) // of address space in use: only pages that were written take
                      // memory

static struct mpipp_pool_buffer *unused[SIZES];
static uint32_t counts[SIZES]; // number of large buffers of each size
static uint64_t in_use;

static unsigned size_of(uint64_t bytes) {
  return bytes <= 1u << SMALLEST ? SMALLEST : 64 - (unsigned)__builtin_clzll(bytes - 1);
}

static struct mpipp_pool_buffer *make(uint64_t bytes) {
  int saved = errno, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  struct mpipp_pool_buffer *room = mpipp_guard_allocate(sizeof *room);
  void *memory = room ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0) : MAP_FAILED;
  errno = saved;
  if (memory == MAP_FAILED) {
    mpipp_guard_free(room);
    return NULL;
  }
  *room = (struct mpipp_pool_buffer){memory, bytes, NULL};
  return room;
}

// Divides a page into buffers of less than a page.
static void make_small(unsigned size) {
  enum { AT_ONCE = 1 << 16 };
  struct mpipp_pool_buffer *all = make(AT_ONCE);
  if (!all) return;
  uint32_t count = AT_ONCE >> size;
  struct mpipp_pool_buffer *rooms = mpipp_guard_allocate(count * sizeof *rooms);
  for (uint32_t i = 0; rooms && i < count; i++) {
    rooms[i] =
        (struct mpipp_pool_buffer){all->memory + ((uint64_t)i << size), 1u << size, unused[size]};
    unused[size] = &rooms[i];
    counts[size]++;
  }
  if (!rooms) munmap(all->memory, all->bytes);
  mpipp_guard_free(all);
}

struct mpipp_pool_buffer *mpipp_guard_pool_take(uint64_t bytes) {
  enum { SMALL = 12 };
  unsigned size = size_of(bytes);
  if (size > LARGEST || in_use + ((uint64_t)1 << size) > MOST_BYTES) return NULL;
  if (!unused[size] && size <= SMALL) make_small(size);
  struct mpipp_pool_buffer *room = unused[size];
  if (room) {
    unused[size] = room->next;
    counts[size]--;
  } else {
    room = make((uint64_t)1 << size);
  }
  if (room) in_use += room->bytes;
  return room;
}

void mpipp_guard_pool_return(struct mpipp_pool_buffer *room) {
  unsigned size = size_of(room->bytes);
  in_use -= room->bytes;
  if (size >= LARGE && counts[size] == MOST_LARGE) {
    munmap(room->memory, room->bytes);
    mpipp_guard_free(room);
    return;
  }
  room->next = unused[size];
  unused[size] = room;
  counts[size]++;
}
