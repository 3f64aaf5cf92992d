// SPDX-License-Identifier: MIT
// The memory that records and what they own lie in, and the one lock.
#ifndef MPIPP_REGISTRY_ALLOCATOR_H
#define MPIPP_REGISTRY_ALLOCATOR_H

#include <stdint.h>

void mpipp_registry_lock(void);
void mpipp_registry_unlock(void);
// Takes it unless this thread has it; returns whether it is to be unlocked.
int mpipp_registry_lock_slow(void);
// Whether this thread holds it.
int mpipp_registry_has_lock(void);

// Memory straight from the system, zeroed, never given back; NULL when there is none.
void *mpipp_registry_map(uint64_t bytes);
// Counts a record that was lost for want of memory.
void mpipp_registry_dropped(void);
// As malloc, with errno left alone and a failure counted; and as free.
void *mpipp_registry_allocate(uint64_t bytes);
void mpipp_registry_free(void *memory);

// A copy of a C string; 0 for none, or without memory, which is counted.
uint64_t mpipp_registry_copied(const char *text);
// Replaces what a field of a record owns; returns what it was, to be freed.
static inline uint64_t mpipp_replace(uint64_t *field, uint64_t owned) {
  return __atomic_exchange_n(field, owned, __ATOMIC_ACQ_REL);
}
// Frees what a field owns.
void mpipp_registry_release(uint64_t *field);

#endif
