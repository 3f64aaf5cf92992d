// SPDX-License-Identifier: MIT
// Where buffers cannot lie: the program's own code and constants, which are not to be written, and
// where no memory is. What of the first may be written all the same (mprotect) the system tells
// where somebody would.
#ifndef MPIPP_CALL_FILTER_READ_ONLY_MEMORY_H
#define MPIPP_CALL_FILTER_READ_ONLY_MEMORY_H

#include <stdint.h>

#include "registry/object_store.h"

// [start, end) of the executable; both 0 where it has none.
struct mpipp_constants {
  uint64_t start, end;
};
extern struct mpipp_constants mpipp_filter_constants MPIPP_HIDDEN;

// Below it the system gives out no memory.
enum { MPIPP_FIRST_ADDRESS = 65536 };
// From here on there is memory, and no constant. An executable lies below all else that its
// process has, where the system gives addresses out as it mostly does: so this one comparison
// clears nearly all buffers; others are held against the constants.
extern int64_t mpipp_filter_first_beyond MPIPP_HIDDEN;

void mpipp_filter_constants_open(void);

static inline int mpipp_meets_constants(uint64_t low, uint64_t high) {
  return low < mpipp_filter_constants.end && mpipp_filter_constants.start < high;
}

// What is moved is so much that it takes long beside asking the system whether it is there.
enum { MPIPP_LARGE = 1 << 20 };

// Whether all of it is mapped, as far as the system tells.
int mpipp_filter_is_mapped(uint64_t low, uint64_t high) MPIPP_COLD;

// Tells of each mapping that there is now, in order; mode: as in /proc/PID/maps.
typedef void mpipp_mapped_part(void *context, uint64_t start, uint64_t end, const char *mode);
void mpipp_filter_mapped_now(mpipp_mapped_part *tell, void *context);

#endif
