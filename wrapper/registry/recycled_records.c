// SPDX-License-Identifier: MIT
#include "registry/recycled_records.h"

#include <stddef.h>

#include "registry/allocator.h"
#include "registry/records.h"

void (*mpipp_registry_forget)(struct mpipp_object *object);

// A thread that has kept the record's address must not take it for the next object with that
// handle.
void mpipp_registry_recycle(struct mpipp_object **free_records, struct mpipp_object *object) {
  MPIPP_WRITE(object->live, MPIPP_NO_HANDLE);
  __atomic_store_n(&object->serial, 0, __ATOMIC_RELEASE);
  MPIPP_WRITE(object->handle, MPIPP_NO_HANDLE);
  mpipp_registry_forget(object);
  MPIPP_WRITE(object->flags, 0);
  object->next = (uint64_t)(uintptr_t)*free_records;
  *free_records = object;
}

int mpipp_registry_claim_recycling(struct mpipp_object *object) {
  return __atomic_fetch_and(&object->flags, ~(uint32_t)MPIPP_FLAG_UNLISTED, __ATOMIC_SEQ_CST) &
         MPIPP_FLAG_UNLISTED;
}

enum { FIRST_SLOTS = 256, MOST_SLOTS = 1 << 16, EMPTY = 0 };
#define REMOVED (~(uint64_t)0) // no handle has this value

// A hash table with linear probing, at most half full. When it is replaced by a larger one, the old
// one stays allocated, because another thread may still probe it.
struct mpipp_freed_handles {
  uint64_t mask, used;
  uint64_t slots[];
};
static struct mpipp_freed_handles *freed_handles;
static int is_full;

static uint64_t hash(uint64_t handle) {
  return (handle * 0x9E3779B97F4A7C15u) >> 32;
}

// The slot with the handle, or the empty slot for it.
static uint64_t *slot_of(struct mpipp_freed_handles *table, uint64_t handle) {
  for (uint64_t i = hash(handle);; i++) {
    uint64_t *slot = &table->slots[i & table->mask];
    uint64_t held = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (held == handle || held == EMPTY) return slot;
  }
}

static void put(struct mpipp_freed_handles *table, uint64_t handle) {
  uint64_t *slot = slot_of(table, handle);
  table->used += *slot == EMPTY;
  __atomic_store_n(slot, handle, __ATOMIC_RELEASE);
}

// A table with space for one more handle; NULL without memory.
static struct mpipp_freed_handles *table_with_space(void) {
  struct mpipp_freed_handles *old = freed_handles;
  uint64_t capacity = old ? old->mask + 1 : 0;
  if (old && (old->used + 1) * 2 <= capacity) return old;
  capacity = capacity ? 2 * capacity : FIRST_SLOTS;
  struct mpipp_freed_handles *made = NULL;
  if (capacity <= MOST_SLOTS)
    made = mpipp_registry_map(sizeof *made + capacity * sizeof *made->slots);
  if (!made) return NULL;
  made->mask = capacity - 1;
  for (uint64_t i = 0; old && i <= old->mask; i++)
    if (old->slots[i] != EMPTY && old->slots[i] != REMOVED) put(made, old->slots[i]);
  __atomic_store_n(&freed_handles, made, __ATOMIC_RELEASE);
  return made;
}

void mpipp_registry_freed_handles_add(uint64_t handle) {
  if (handle == EMPTY || handle == REMOVED) return;
  struct mpipp_freed_handles *table = table_with_space();
  if (table)
    put(table, handle);
  else
    __atomic_store_n(&is_full, 1, __ATOMIC_RELEASE);
}

void mpipp_registry_freed_handles_remove(uint64_t handle) {
  uint64_t *slot = freed_handles ? slot_of(freed_handles, handle) : NULL;
  if (slot && *slot == handle) __atomic_store_n(slot, REMOVED, __ATOMIC_RELEASE);
}

int mpipp_registry_freed_handles_has(uint64_t handle) {
  struct mpipp_freed_handles *table = __atomic_load_n(&freed_handles, __ATOMIC_ACQUIRE);
  if (__atomic_load_n(&is_full, __ATOMIC_ACQUIRE)) return 1;
  return table && __atomic_load_n(slot_of(table, handle), __ATOMIC_ACQUIRE) == handle;
}
