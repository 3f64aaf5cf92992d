// SPDX-License-Identifier: MIT
// The program's own memory that is not to be written: its code and its constants. What of it may be
// written all the same (mprotect) the system tells where somebody would.
#ifndef MPIPP_CONSTANTS_H
#define MPIPP_CONSTANTS_H

#include <stdint.h>

#include "records/store.h"

// [start, end) of the executable; both 0 where it has none.
struct mpipp_constants {
  uint64_t start, end;
};
extern struct mpipp_constants mpipp_constants MPIPP_HIDDEN;

// Below it the system gives out no memory.
enum { MPIPP_FIRST_ADDRESS = 65536 };
// From here on there is memory, and no constant. An executable lies below all else that its
// process has, where the system gives addresses out as it mostly does: so this one comparison
// clears nearly all buffers; others are held against the constants.
extern int64_t mpipp_first_beyond MPIPP_HIDDEN;

void mpipp_constants_open(void);

static inline int mpipp_meets_constants(uint64_t low, uint64_t high) {
  return low < mpipp_constants.end && mpipp_constants.start < high;
}

// Tells of each part that is not to be written now.
typedef void mpipp_constant_part(void *context, uint64_t start, uint64_t end);
void mpipp_constants_now(mpipp_constant_part *tell, void *context);

#endif
