// SPDX-License-Identifier: MIT
#include "recorder/ledger/datatype_interning.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 256, MAX_KEPT = 1 << 16 };

// A hash table with one record for each construction of a datatype. The table is used only with the
// lock held.
static struct mpipp_datatype **slots;
static uint64_t mask, used;

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0xBF58476D1CE4E5B9u;
  return hash ^ hash >> 29;
}

// The address of the record that stands for a component of the datatype.
static uint64_t component(const struct mpipp_datatype *type, uint32_t i) {
  const struct mpipp_datatype *found =
      (const void *)(uintptr_t)((const uint64_t *)(uintptr_t)type->components)[i];
  if (!found) return 0;
  return found->object.flags & MPIPP_FLAG_PREDEFINED ? (uint64_t)(uintptr_t)found : found->alike;
}

static uint64_t hash_of(const struct mpipp_datatype *type) {
  const uint64_t *arguments = (const uint64_t *)(uintptr_t)type->arguments;
  uint64_t hash = mix(type->combiner, (uint64_t)type->extent);
  for (uint64_t i = 0; i < type->argument_count; i++) hash = mix(hash, arguments[i]);
  for (uint32_t i = 0; i < type->component_count; i++) hash = mix(hash, component(type, i));
  return hash;
}

static int is_equal(const struct mpipp_datatype *one, const struct mpipp_datatype *other) {
  if (one->combiner != other->combiner || one->argument_count != other->argument_count ||
      one->component_count != other->component_count || one->size != other->size ||
      one->lb != other->lb || one->extent != other->extent)
    return 0;
  uint64_t bytes = one->argument_count * sizeof(int64_t);
  if (bytes && memcmp((const void *)(uintptr_t)one->arguments,
                      (const void *)(uintptr_t)other->arguments, bytes) != 0)
    return 0;
  for (uint32_t i = 0; i < one->component_count; i++) {
    if (component(one, i) != component(other, i)) return 0;
  }
  return 1;
}

static struct mpipp_datatype **slot_of(const struct mpipp_datatype *type) {
  for (uint64_t i = hash_of(type);; i++) {
    struct mpipp_datatype **slot = &slots[i & mask];
    if (!*slot || is_equal(*slot, type)) return slot;
  }
}

static int make_room(void) {
  if (used >= MAX_KEPT) return 0;
  if (slots && (used + 1) * 4 <= (mask + 1) * 3) return 1;
  uint64_t capacity = slots ? 2 * (mask + 1) : FIRST_SLOTS, old_count = slots ? mask + 1 : 0;
  struct mpipp_datatype **old = slots, **more = mpipp_registry_allocate(capacity * sizeof *more);
  if (!more) return 0;
  memset(more, 0, capacity * sizeof *more);
  slots = more;
  mask = capacity - 1;
  for (uint64_t i = 0; i < old_count; i++) {
    if (old[i]) *slot_of(old[i]) = old[i];
  }
  mpipp_registry_free(old);
  return 1;
}

// The entry for a datatype whose components have entries. Returns 0 if the table is full.
static uint64_t find(struct mpipp_datatype *type) {
  if (!make_room()) return 0;
  struct mpipp_datatype **slot = slot_of(type);
  if (!*slot) {
    if (!mpipp_registry_refer_locked((uint64_t)(uintptr_t)type, type->object.handle)) return 0;
    *slot = type;
    used++;
  }
  return (uint64_t)(uintptr_t)*slot;
}

// The first component that has no entry yet; NULL if all have one.
static struct mpipp_datatype *unknown_component(const struct mpipp_datatype *type) {
  const uint64_t *components = (const uint64_t *)(uintptr_t)type->components;
  for (uint32_t i = 0; i < type->component_count; i++) {
    if (components[i] && !component(type, i)) return (void *)(uintptr_t)components[i];
  }
  return NULL;
}

uint64_t mpipp_recorder_equal_datatype_locked(uint64_t record, uint64_t handle) {
  struct mpipp_datatype *type = (void *)(uintptr_t)record;
  if (!type || MPIPP_READ(type->object.handle) != handle || !MPIPP_READ(type->object.serial))
    return 0;
  if (MPIPP_READ(type->object.flags) & MPIPP_FLAG_PREDEFINED) return record;
  if (MPIPP_READ(type->object.flags) & MPIPP_FLAG_ENDED) return 0;
  while (!type->alike) { // from the innermost component outwards
    struct mpipp_datatype *inner = type;
    for (struct mpipp_datatype *next = inner; next; next = unknown_component(inner)) inner = next;
    inner->alike = find(inner);
    if (!inner->alike) return 0;
  }
  return type->alike;
}
