// SPDX-License-Identifier: MIT
// The memory of records and of the data that they own, and the single lock.
#ifndef MPIPP_REGISTRY_ALLOCATOR_H
#define MPIPP_REGISTRY_ALLOCATOR_H

#include <stdint.h>

#include "abi/seam.h"

MPIPP_SEAM void mpipp_registry_lock(void);
MPIPP_SEAM void mpipp_registry_unlock(void);
// Takes it unless this thread has it; returns whether it has to be unlocked.
int mpipp_registry_lock_slow(void);
// Returns whether this thread holds it.
int mpipp_registry_has_lock(void);

// Memory straight from the system, zeroed, never freed; NULL when there is none.
MPIPP_SEAM void *mpipp_registry_map(uint64_t bytes);
// Counts a record that was lost for lack of memory.
void mpipp_registry_count_loss(void);
// Like malloc, without changing errno and with failures counted; and like free.
MPIPP_SEAM void *mpipp_registry_allocate(uint64_t bytes);
MPIPP_SEAM void mpipp_registry_free(void *memory);

// A copy of a C string; 0 for none, or without memory, which is counted.
uint64_t mpipp_registry_copy_text(const char *text);
// Replaces the memory that a field of a record owns; returns the former memory, to be freed.
static inline uint64_t mpipp_replace(uint64_t *field, uint64_t owned) {
  return __atomic_exchange_n(field, owned, __ATOMIC_ACQ_REL);
}
// Frees the memory that a field owns.
void mpipp_registry_release(uint64_t *field);

#endif
