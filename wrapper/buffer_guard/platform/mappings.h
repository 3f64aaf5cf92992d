// SPDX-License-Identifier: MIT
// The mapping at an address of this process, as the system reports it. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_MAPPINGS_H
#define MPIPP_BUFFER_GUARD_PLATFORM_MAPPINGS_H

#include <stdint.h>

#include "abi/seam.h"

enum { MPIPP_MAPPED_NAME = 128 };

struct mpipp_mapping {
  uint64_t start, end; // addresses
  uint64_t offset, inode, device;
  int readable, writable, executable, shared;
  char name[MPIPP_MAPPED_NAME]; // as in /proc/PID/maps, its beginning
};

// 0 if nothing is mapped there, or it is unknown. The second function returns -1 if it is unknown.
// If it returns 0, only the start of `found` is defined: that of the next mapping.
MPIPP_SEAM int mpipp_guard_mapping_at(uint64_t address, struct mpipp_mapping *found);
int mpipp_guard_mapping_from(uint64_t address, struct mpipp_mapping *found);
// Without a lock, for signal handlers; -1 if the system has no such query.
int mpipp_guard_mapping_query_unlocked(uint64_t address, struct mpipp_mapping *found);
// A quick version without the name, for memory that no other process would have. The program may
// have replaced the queried file by one of its own. 0: unknown.
int mpipp_guard_mapping_guess(uint64_t address, struct mpipp_mapping *found);
// In the child of a fork.
void mpipp_guard_mappings_fork(void);

#endif
