// SPDX-License-Identifier: MIT
// The memory of records and of the data that they own, and the store's lock. There is only this one
// lock for all records.
#ifndef MPIPP_REGISTRY_ALLOCATOR_H
#define MPIPP_REGISTRY_ALLOCATOR_H

#include <stdint.h>

#include "abi/seam.h"

MPIPP_SEAM void mpipp_registry_lock(void);
MPIPP_SEAM void mpipp_registry_unlock(void);
// Takes the lock, unless this thread holds it. Returns whether the caller has to release it.
int mpipp_registry_lock_slow(void);
// Returns whether this thread holds the lock.
int mpipp_registry_has_lock(void);

// Zeroed memory directly from the system, which is never freed. Returns NULL without memory.
MPIPP_SEAM void *mpipp_registry_map(uint64_t bytes);
// Counts a record that was lost for lack of memory.
void mpipp_registry_count_loss(void);
// Like malloc and free, but errno stays unchanged, and failures are counted.
MPIPP_SEAM void *mpipp_registry_allocate(uint64_t bytes);
MPIPP_SEAM void mpipp_registry_free(void *memory);

// The address of a copy of a C string. Returns 0 for NULL, and without memory, which is counted.
uint64_t mpipp_registry_copy_text(const char *text);
// Replaces the memory that a field of a record owns. Returns the previous memory, which the caller
// frees.
static inline uint64_t mpipp_replace(uint64_t *field, uint64_t owned) {
  return __atomic_exchange_n(field, owned, __ATOMIC_ACQ_REL);
}
// Frees the memory that a field owns.
void mpipp_registry_release(uint64_t *field);

#endif
