// SPDX-License-Identifier: MIT
#include "perturb/rma/split_operation.h"

#include <limits.h>
#include <stdlib.h>

#include "layout/block_iterator.h"
#include "perturb/rma/options.h"
#include "registry/object_store.h"

enum {
  PARTS = 64,     // number of parts of a put or get without gaps
  MOST = 512,     // largest number of elements or parts otherwise; beyond that, some are merged
  RUNS = 1 << 16, // largest number of runs of one side; an operation with more is not split
  KEPT = 1 << 22, // largest number of runs in all waiting operations: 128 MiB
  MOST_NESTED = 16,
};
static uint32_t kept; // number of runs in waiting operations
// Added to offsets, because they may be negative, but addresses of layouts may not.
static const uint64_t base = (uint64_t)1 << 60;

static const struct mpipp_datatype *type_of(const struct mpipp_buffer *buffer) {
  return (const void *)(uintptr_t)buffer->record;
}

// The only predefined datatype in a datatype; NULL if there are several.
static const struct mpipp_datatype *element(const struct mpipp_datatype *type, int nested) {
  const struct mpipp_datatype *found = NULL;
  if (!type || nested > MOST_NESTED) return NULL;
  if (MPIPP_READ(type->object.flags) & MPIPP_FLAG_PREDEFINED) return type;
  const uint64_t *components = (const uint64_t *)(uintptr_t)type->components;
  for (uint32_t i = 0; i < type->component_count; i++) {
    const struct mpipp_datatype *one = element((const void *)(uintptr_t)components[i], nested + 1);
    if (!one || (found && one != found)) return NULL;
    found = one;
  }
  return found;
}

// The runs of bytes of one side in the order of its type map, in which the sides correspond.
// *total: number of bytes of the previous sides; -1: this is the first. *has_gap: set if units are
// not adjacent in memory.
static struct mpipp_layout *runs(const struct mpipp_buffer *buffer, int64_t *total, int64_t unit,
                                 int has_gap) {
  const struct mpipp_datatype *type = type_of(buffer);
  struct mpipp_layout *layout = malloc(mpipp_layout_bytes(RUNS));
  int64_t bytes = 0, size;
  int fine = layout && !__builtin_mul_overflow(type->size, buffer->count, &size);
  if (fine) {
    mpipp_layout_open(layout, RUNS);
    fine = mpipp_layout_add(layout, type, base, buffer->count);
  }
  for (uint32_t i = 0; fine && i < layout->count; i++) {
    int64_t length = (int64_t)(layout->all[i].high - layout->all[i].low);
    fine = has_gap ? length == unit : length % unit == 0;
    bytes += length;
  }
  // MPI gets predefined datatypes with gaps, and sides that do not correspond, unchanged.
  if (fine && bytes == size && (*total < 0 || *total == bytes)) {
    *total = bytes;
    return layout;
  }
  free(layout);
  return NULL;
}

static int64_t smaller(int64_t one, int64_t other) {
  return one < other ? one : other;
}

// Divides the bytes into runs: a run ends where a part ends, or a run of any side. Returns the
// number of runs. to: the array for them, or NULL.
static uint32_t walk(struct mpipp_layout *const layouts[MPIPP_SIDES], int64_t total, int64_t part,
                     struct mpipp_run *to) {
  uint32_t run[MPIPP_SIDES] = {0}, count = 0;
  int64_t into[MPIPP_SIDES] = {0};
  for (int64_t done = 0; done < total; count++) {
    struct mpipp_run next = {.bytes = smaller(part - done % part, total - done)};
    for (int i = 0; i < MPIPP_SIDES; i++) {
      if (!layouts[i]) continue;
      struct mpipp_piece piece = layouts[i]->all[run[i]];
      next.at[i] = (int64_t)(piece.low - base) + into[i];
      next.bytes = smaller(next.bytes, (int64_t)(piece.high - piece.low) - into[i]);
    }
    for (int i = 0; i < MPIPP_SIDES; i++) {
      if (!layouts[i]) continue;
      into[i] += next.bytes;
      struct mpipp_piece piece = layouts[i]->all[run[i]];
      if (into[i] == (int64_t)(piece.high - piece.low)) run[i]++, into[i] = 0;
    }
    done += next.bytes;
    if (to) to[count] = next;
  }
  return count;
}

// The number of bytes in each of `parts` parts. The number may be less, so that a part's count fits
// an int.
static int64_t part_of(int64_t total, int64_t unit, int64_t parts) {
  return smaller((total / unit + parts - 1) / parts * unit, INT_MAX / unit * unit);
}

// Allocates the parts. Returns NULL without memory, or if the runs exceed the limit.
static struct mpipp_cuts *allocate_cuts(uint32_t runs, int64_t unit) {
  struct mpipp_cuts *cuts = NULL;
  if (__atomic_add_fetch(&kept, runs, __ATOMIC_RELAXED) <= KEPT)
    cuts = malloc(sizeof *cuts + runs * sizeof *cuts->runs);
  if (cuts)
    *cuts = (struct mpipp_cuts){
        .unit_bytes = unit, .run_count = runs, .first = malloc((runs + 1) * sizeof *cuts->first)};
  else
    __atomic_sub_fetch(&kept, runs, __ATOMIC_RELAXED);
  return cuts;
}

static struct mpipp_cuts *cut(struct mpipp_layout *const layouts[MPIPP_SIDES], int64_t total,
                              int64_t unit, int by_element) {
  int64_t most = mpipp_perturb_rules.parts ? mpipp_perturb_rules.parts : MOST;
  int64_t part = part_of(total, unit, by_element ? most : smaller(most, PARTS));
  uint32_t count = total > 0 ? walk(layouts, total, part, NULL) : 0;
  int together = count > most;
  if (together) {
    part = part_of(total, unit, most);
    count = walk(layouts, total, part, NULL);
  }
  struct mpipp_cuts *cuts = count > 1 ? allocate_cuts(count, unit) : NULL;
  if (!cuts) return NULL;
  walk(layouts, total, part, cuts->runs);
  int64_t done = 0;
  for (uint32_t i = 0; cuts->first && i < count; i++) {
    if (!together || done % part == 0) cuts->first[cuts->count++] = i;
    done += cuts->runs[i].bytes;
  }
  if (cuts->count > 1) {
    cuts->first[cuts->count] = count;
    return cuts;
  }
  mpipp_perturb_cuts_free(cuts);
  return NULL;
}

struct mpipp_cuts *mpipp_perturb_cuts_new(const struct mpipp_buffer *const sides[MPIPP_SIDES],
                                          int by_element) {
  struct mpipp_layout *layouts[MPIPP_SIDES] = {NULL};
  const struct mpipp_datatype *unit = by_element ? element(type_of(sides[MPIPP_TARGET]), 0) : NULL;
  int64_t total = -1, bytes = unit ? unit->size : 1;
  int has_gap = unit && unit->extent != unit->size;
  int fine = bytes > 0 && (unit || !by_element);
  for (int i = 0; fine && i < MPIPP_SIDES; i++) {
    if (!sides[i]) continue;
    fine = !by_element || element(type_of(sides[i]), 0) == unit;
    layouts[i] = fine ? runs(sides[i], &total, bytes, has_gap) : NULL;
    fine = layouts[i] != NULL;
  }
  struct mpipp_cuts *cuts = fine ? cut(layouts, total, bytes, by_element) : NULL;
  if (cuts) cuts->unit = unit ? (MPI_Datatype)(uintptr_t)unit->object.handle : MPI_BYTE;
  for (int i = 0; i < MPIPP_SIDES; i++) free(layouts[i]);
  return cuts;
}

void mpipp_perturb_cuts_free(struct mpipp_cuts *cuts) {
  if (!cuts) return;
  __atomic_sub_fetch(&kept, cuts->run_count, __ATOMIC_RELAXED);
  free(cuts->first);
  free(cuts);
}
