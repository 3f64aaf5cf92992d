// SPDX-License-Identifier: MIT
// What the system has mapped at an address of this process. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_MAPPINGS_H
#define MPIPP_BUFFER_GUARD_PLATFORM_MAPPINGS_H

#include <stdint.h>

enum { MPIPP_MAPPED_NAME = 128 };

struct mpipp_mapping {
  uint64_t start, end; // addresses
  uint64_t offset, inode, device;
  int readable, writable, executable, shared;
  char name[MPIPP_MAPPED_NAME]; // as in /proc/PID/maps, its beginning
};

// 0 if nothing is mapped there, or it cannot be told. The other tells these apart (-1: it cannot);
// with 0 all of `found` but where that begins is undefined: where the next one does.
int mpipp_guard_mapping_at(uint64_t address, struct mpipp_mapping *found);
int mpipp_guard_mapping_from(uint64_t address, struct mpipp_mapping *found);
// The same without a lock, for signal handlers; -1 where the system cannot be asked so.
int mpipp_guard_mapping_unlocked(uint64_t address, struct mpipp_mapping *found);
// The same quickly, without the name, and for what no other process would have: the program may
// have put a file of its own in the place of the one that is asked. 0: it is not known.
int mpipp_guard_mapping_guessed(uint64_t address, struct mpipp_mapping *found);
// In the child of a fork.
void mpipp_guard_mappings_forked(void);

#endif
