// SPDX-License-Identifier: MIT
#include "registry/stack_places.h"

#include <errno.h>
#include <execinfo.h>
#include <string.h>

#include "registry/object_store.h"
#include "registry/registry.h"

enum {
  MOST_PLACES = 4096,
  BUCKETS = 1024,   // number of hash lists, a power of 2
  MOST_FRAMES = 64, // frames of one place
  MOST_INSIDE = 32, // frames inside MPI and this library before the caller
  POOL_WORDS = 1 << 13,
};

static struct mpipp_stack_place *places, *buckets[BUCKETS];
static uint64_t *pool, *pool_end;

static uint64_t hash_of(void *const *stack, uint64_t count) {
  uint64_t hash = count;
  for (uint64_t i = 0; i < count; i++)
    hash = (hash ^ (uint64_t)(uintptr_t)stack[i]) * MPIPP_HASH + i;
  return hash;
}

static int is_like(const struct mpipp_stack_place *place, uint64_t hash, void *const *stack,
                   uint64_t count) {
  const uint64_t *frames = (const uint64_t *)(uintptr_t)place->frames;
  if (place->hash != hash || frames[0] != count) return 0;
  for (uint64_t i = 0; i < count; i++) {
    if (frames[i + 1] != (uint64_t)(uintptr_t)stack[i]) return 0;
  }
  return 1;
}

static struct mpipp_stack_place *find(uint64_t hash, void *const *stack, uint64_t count) {
  struct mpipp_stack_place *place =
      __atomic_load_n(&buckets[hash >> 32 & (BUCKETS - 1)], __ATOMIC_ACQUIRE);
  while (place && !is_like(place, hash, stack, count)) place = (void *)(uintptr_t)place->chain;
  return place;
}

static uint64_t *take(uint64_t words) {
  if (words > (uint64_t)(pool_end - pool)) {
    pool = mpipp_registry_map(POOL_WORDS * sizeof *pool);
    pool_end = pool ? pool + POOL_WORDS : NULL;
  }
  if (words > (uint64_t)(pool_end - pool)) return NULL;
  uint64_t *taken = pool;
  pool += words;
  return taken;
}

// The caller holds the lock.
static struct mpipp_stack_place *make(uint64_t hash, void *const *stack, uint64_t count) {
  struct mpipp_table *table = mpipp_registry_stack_table();
  if (!places) places = mpipp_registry_map(MOST_PLACES * sizeof *places);
  if (!places || table->count >= MOST_PLACES) return NULL;
  uint64_t *frames = take(count + 1);
  if (!frames) return NULL;
  frames[0] = count;
  for (uint64_t i = 0; i < count; i++) frames[i + 1] = (uint64_t)(uintptr_t)stack[i];
  struct mpipp_stack_place *place = &places[table->count],
                           **bucket = &buckets[hash >> 32 & (BUCKETS - 1)];
  *place = (struct mpipp_stack_place){.caller = frames[1],
                                      .frames = (uint64_t)(uintptr_t)frames,
                                      .hash = hash,
                                      .chain = (uint64_t)(uintptr_t)*bucket};
  table->entries = (uint64_t)(uintptr_t)places;
  __atomic_store_n(&table->count, table->count + 1, __ATOMIC_RELEASE);
  __atomic_store_n(bucket, place, __ATOMIC_RELEASE);
  return place;
}

uint64_t mpipp_registry_stack_place(uint64_t caller) {
  uint64_t wanted = mpipp_registry.frames;
  if (MPIPP_LIKELY(!wanted)) return caller;
  if (wanted > MOST_FRAMES) wanted = MOST_FRAMES;
  int saved = errno;
  void *stack[MOST_FRAMES + MOST_INSIDE];
  int depth = backtrace(stack, (int)wanted + MOST_INSIDE), first = 0;
  while (first < depth && (uint64_t)(uintptr_t)stack[first] != caller) first++;
  struct mpipp_stack_place *place = NULL;
  if (first < depth) {
    uint64_t count = (uint64_t)(depth - first) < wanted ? (uint64_t)(depth - first) : wanted;
    uint64_t hash = hash_of(stack + first, count);
    place = find(hash, stack + first, count);
    if (!place) {
      int locked = mpipp_registry_lock_slow();
      place = find(hash, stack + first, count);
      if (!place) place = make(hash, stack + first, count);
      if (locked) mpipp_registry_unlock();
    }
  }
  errno = saved;
  return place ? (uint64_t)(uintptr_t)place : caller;
}
