// SPDX-License-Identifier: MIT
#include "recorder/keyvals.h"

#include <errno.h>

#include "abi/mpi_symbols.h"
#include "registry/object_store.h"
#include "registry/registry.h"

enum { MAX_PLACES = 128, SLOTS = 1024 };

static struct mpipp_keyvals *places;
// The place in the program that created each key. A key value selects a slot; a new key replaces an
// older one there.
static struct {
  int keyval;
  uint32_t place; // number of the place, from 1; 0: none
} slots[SLOTS];

static unsigned slot(int keyval) {
  return ((unsigned)keyval * 0x9E3779B1u) >> 22;
}

// Returns the number of a place, from 1. Returns 0 without memory, or if there are too many places.
static uint32_t place_locked(uint64_t caller) {
  struct mpipp_table *table = mpipp_registry_keyval_table();
  if (!places) places = mpipp_registry_map(MAX_PLACES * sizeof *places);
  if (!places) return 0;
  table->entries = (uint64_t)(uintptr_t)places;
  for (uint32_t i = 0; i < table->count; i++)
    if (places[i].caller == caller) return i + 1;
  if (table->count == MAX_PLACES) return 0;
  places[table->count].caller = caller;
  __atomic_store_n(&table->count, table->count + 1, __ATOMIC_RELEASE);
  return (uint32_t)table->count;
}

void mpipp_recorder_add_keyval(const struct mpipp_thread *thread, int keyval) {
  int saved = errno;
  uint64_t caller = mpipp_outside_mpi(thread->call.caller);
  mpipp_registry_lock();
  uint32_t place = place_locked(caller);
  if (place) MPIPP_WRITE(places[place - 1].made, places[place - 1].made + 1);
  slots[slot(keyval)].keyval = keyval;
  slots[slot(keyval)].place = place;
  mpipp_registry_unlock();
  errno = saved;
}

void mpipp_recorder_free_keyval(int keyval) {
  int saved = errno;
  mpipp_registry_lock();
  uint32_t place = slots[slot(keyval)].keyval == keyval ? slots[slot(keyval)].place : 0;
  const uint64_t count = mpipp_registry_keyval_table()->count;
  for (uint32_t i = 0; i < count; i++) // a key without a known place may come from any of them
    if (!place || i == place - 1) MPIPP_WRITE(places[i].freed, places[i].freed + 1);
  mpipp_registry_unlock();
  errno = saved;
}
