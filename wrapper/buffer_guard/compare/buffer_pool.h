// SPDX-License-Identifier: MIT
// Memory for copies of buffers, which is used again. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_COMPARE_BUFFER_POOL_H
#define MPIPP_BUFFER_GUARD_COMPARE_BUFFER_POOL_H

#include <stdint.h>

struct mpipp_room {
  char *memory;
  uint64_t bytes;
  struct mpipp_room *next; // of those that are free
};

// At least that many bytes; NULL: there is no memory, or too much is in use.
struct mpipp_room *mpipp_guard_room_take(uint64_t bytes);
void mpipp_guard_room_give(struct mpipp_room *room);

#endif
