// SPDX-License-Identifier: MIT
// A pool of memory for copies of buffers. Returned memory is used again. The caller holds the
// guard's lock.
#ifndef MPIPP_BUFFER_GUARD_COMPARE_BUFFER_POOL_H
#define MPIPP_BUFFER_GUARD_COMPARE_BUFFER_POOL_H

#include <stdint.h>

struct mpipp_pool_buffer {
  char *memory;
  uint64_t bytes;
  struct mpipp_pool_buffer *next; // next free buffer of this size
};

// A buffer of at least that many bytes; NULL if there is no memory, or too much is in use.
struct mpipp_pool_buffer *mpipp_guard_pool_take(uint64_t bytes);
void mpipp_guard_pool_return(struct mpipp_pool_buffer *room);

#endif
