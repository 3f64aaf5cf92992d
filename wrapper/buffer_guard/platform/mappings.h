// SPDX-License-Identifier: MIT
// The mapping at an address of this process, as the system reports it. The caller holds the guard's
// lock, unless a comment says otherwise.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_MAPPINGS_H
#define MPIPP_BUFFER_GUARD_PLATFORM_MAPPINGS_H

#include <stdint.h>

#include "abi/seam.h"

enum { MPIPP_MAPPED_NAME = 128 };

struct mpipp_mapping {
  uint64_t start, end; // first address, and end
  uint64_t offset, inode, device;
  int readable, writable, executable, shared;
  char name[MPIPP_MAPPED_NAME]; // the name in /proc/PID/maps, shortened to this size
};

// mpipp_guard_mapping_at returns 0 if nothing is mapped at the address, or if the system does not
// answer. mpipp_guard_mapping_from finds the first mapping that ends after it. It returns -1 if the
// system does not answer. If it returns 0, nothing is mapped at the address, and only the start of
// `found` is defined: that of the next mapping.
MPIPP_SEAM int mpipp_guard_mapping_at(uint64_t address, struct mpipp_mapping *found);
int mpipp_guard_mapping_from(uint64_t address, struct mpipp_mapping *found);
// Like mpipp_guard_mapping_at, without a lock, for signal handlers. Returns -1 if the system has no
// such query.
int mpipp_guard_mapping_query_unlocked(uint64_t address, struct mpipp_mapping *found);
// A quick version without the mapping's name. The answer may be wrong if the program has replaced
// the queried file by one of its own. Returns 0 if the mapping is unknown.
int mpipp_guard_mapping_guess(uint64_t address, struct mpipp_mapping *found);
// Called in the child of a fork.
void mpipp_guard_mappings_fork(void);

#endif
