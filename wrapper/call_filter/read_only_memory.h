// SPDX-License-Identifier: MIT
// Addresses where buffers cannot be: the program's own code and constants, which are not writable,
// and unmapped memory. The program may have made constants writable (mprotect): the system shows
// that when a call would write there.
#ifndef MPIPP_CALL_FILTER_READ_ONLY_MEMORY_H
#define MPIPP_CALL_FILTER_READ_ONLY_MEMORY_H

#include <stdint.h>

#include "registry/object_store.h"

// [start, end) of the executable; both 0 if it has none.
struct mpipp_constants {
  uint64_t start, end;
};
extern struct mpipp_constants mpipp_filter_constants MPIPP_HIDDEN;

// The system maps no memory below it.
enum { MPIPP_FIRST_ADDRESS = 65536 };
// From here on there is memory, and no constant. The executable usually lies below everything else
// that its process maps. So this one comparison clears nearly all buffers; others are compared with
// the constants.
extern int64_t mpipp_filter_first_beyond MPIPP_HIDDEN;

void mpipp_filter_constants_open(void);

static inline int mpipp_meets_constants(uint64_t low, uint64_t high) {
  return low < mpipp_filter_constants.end && mpipp_filter_constants.start < high;
}

// LARGE: bytes from which on a transfer takes much longer than a query to the system whether they
// are mapped. WIDE: the extent from which on only the ends of a buffer with holes are queried.
enum { MPIPP_LARGE = 1 << 20, MPIPP_WIDE = 1 << 24 };

// Returns whether all of it is mapped, as far as the system shows.
int mpipp_filter_is_mapped(uint64_t low, uint64_t high) MPIPP_COLD;
// Returns whether its first and last byte are. A known pair of ends is not queried again, unless
// others came in between.
int mpipp_filter_are_ends_mapped(uint64_t low, uint64_t high) MPIPP_COLD;

// Calls `tell` with each mapping that exists now, in order; mode: as in /proc/PID/maps.
typedef void mpipp_mapped_part(void *context, uint64_t start, uint64_t end, const char *mode);
void mpipp_filter_visit_mappings(mpipp_mapped_part *tell, void *context);

#endif
