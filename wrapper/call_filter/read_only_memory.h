// SPDX-License-Identifier: MIT
// Addresses where buffers cannot be: unmapped memory, and for buffers that MPI writes also the
// program's code and constants. The program may have made constants writable (mprotect), so the
// system is asked before a write there is reported.
#ifndef MPIPP_CALL_FILTER_READ_ONLY_MEMORY_H
#define MPIPP_CALL_FILTER_READ_ONLY_MEMORY_H

#include <stdint.h>

#include "registry/object_store.h"

// The executable's constants [start, end); both 0 if it has none.
struct mpipp_constants {
  uint64_t start, end;
};
extern struct mpipp_constants mpipp_filter_constants MPIPP_HIDDEN;

// The system maps no memory below this address.
enum { MPIPP_FIRST_ADDRESS = 65536 };
// All addresses from here on are above the constants. The executable usually has the lowest
// addresses of its process. So this one comparison clears nearly all buffers; only the others are
// compared with the constants.
extern int64_t mpipp_filter_first_beyond MPIPP_HIDDEN;

void mpipp_filter_constants_open(void);

static inline int mpipp_meets_constants(uint64_t low, uint64_t high) {
  return low < mpipp_filter_constants.end && mpipp_filter_constants.start < high;
}

// LARGE: bytes of a transfer from which on a query whether they are mapped costs little in
// comparison. WIDE: extent in bytes from which on only the ends of a buffer with gaps are queried.
enum { MPIPP_LARGE = 1 << 20, MPIPP_WIDE = 1 << 24 };

// Returns whether the whole range is mapped, as far as the system shows.
int mpipp_filter_is_mapped(uint64_t low, uint64_t high) MPIPP_COLD;
// Returns whether the first and last bytes are mapped. The system is not queried again for the last
// known pair of bytes.
int mpipp_filter_are_ends_mapped(uint64_t low, uint64_t high) MPIPP_COLD;

// Calls `tell` with each present mapping, in order of addresses; mode: as in /proc/PID/maps.
typedef void mpipp_mapped_part(void *context, uint64_t start, uint64_t end, const char *mode);
void mpipp_filter_visit_mappings(mpipp_mapped_part *tell, void *context);

#endif
