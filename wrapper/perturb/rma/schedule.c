// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "perturb/rma/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "abi/mpi_symbols.h"
#include "perturb/random.h"
#include "perturb/rma/event_log.h"
#include "perturb/rma/options.h"
#include "registry/registry.h"

// An operation, or one part of a split operation.
struct mpipp_schedule_item {
  struct mpipp_deferred_operation *one;
  int cut;         // index of the part; -1: the operation is not split
  uint32_t number; // ordinal of the operation in the program's order
  uint64_t key;    // items are sorted by this key
};

static int compare(const void *first, const void *second) {
  const struct mpipp_schedule_item *one = first, *other = second;
  if (one->key != other->key) return one->key < other->key ? -1 : 1;
  return one->number < other->number ? -1 : one->number > other->number;
}

static uint64_t key(const struct mpipp_schedule_item *item, int order) {
  unsigned operation = item->one->operation;
  int place = operation == MPIPP_PROC_Put ? 0 : operation == MPIPP_PROC_Get ? 2 : 1;
  switch (order) {
  case MPIPP_IN_ANY_ORDER:
    return mpipp_perturb_chance_of(item->one->chance + (uint64_t)(item->cut + 1));
  case MPIPP_REVERSED:
    return UINT32_MAX - item->number;
  case MPIPP_PUTS_FIRST:
    return (uint64_t)place;
  case MPIPP_GETS_FIRST:
    return (uint64_t)(2 - place);
  default:
    return 0;
  }
}

struct mpipp_schedule_place {
  int target;
  uint32_t at; // index in the new order
};

static int compare_places(const void *first, const void *second) {
  const struct mpipp_schedule_place *one = first, *other = second;
  if (one->target != other->target) return one->target < other->target ? -1 : 1;
  return one->at < other->at ? -1 : one->at > other->at;
}

// Accumulates to one target must keep their order, so they exchange positions among themselves.
static int keep_accumulates(struct mpipp_schedule_item *items, uint32_t count) {
  uint32_t found = 0;
  struct mpipp_schedule_place *places = malloc(2 * count * sizeof *places),
                              *numbers = places + count;
  struct mpipp_schedule_item *sorted = malloc(count * sizeof *sorted);
  for (uint32_t i = 0; places && sorted && i < count; i++) {
    if (!items[i].one->accumulates) continue;
    places[found] = (struct mpipp_schedule_place){items[i].one->target, i};
    numbers[found++] = (struct mpipp_schedule_place){items[i].one->target, items[i].number};
    sorted[items[i].number] = items[i];
  }
  if (found) {
    qsort(places, found, sizeof *places, compare_places);
    qsort(numbers, found, sizeof *numbers, compare_places);
  }
  for (uint32_t i = 0; i < found; i++) items[places[i].at] = sorted[numbers[i].at];
  int fine = places && sorted;
  free(places);
  free(sorted);
  return fine;
}

// Delays an operation. All parts of a split operation together take as long as one that is not
// split.
static void linger(struct mpipp_deferred_operation *before) {
  if (!before->latency) return;
  uint64_t microseconds = mpipp_perturb_chance(before->latency + 1) * 1000;
  if (before->cuts) microseconds /= before->cuts->count;
  struct timespec time = {(time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000};
  nanosleep(&time, NULL);
  before->delay += microseconds;
}

static struct mpipp_schedule_item *items_of(struct mpipp_deferred_operation *list,
                                            uint32_t *count) {
  uint32_t total = 0;
  for (const struct mpipp_deferred_operation *one = list; one; one = one->next)
    total += one->cuts ? one->cuts->count : 1;
  struct mpipp_schedule_item *items = malloc(total * sizeof *items);
  *count = 0;
  for (struct mpipp_deferred_operation *one = list; items && one; one = one->next) {
    for (int cut = one->cuts ? 0 : -1; cut < (one->cuts ? (int)one->cuts->count : 0);
         cut++, ++*count)
      items[*count] = (struct mpipp_schedule_item){one, cut, *count, 0};
  }
  return items;
}

// Prints the order, for example:
//
//   mpipp: rank 0: before MPI_Win_unlock: 2. MPI_Accumulate to 1, 1. MPI_Put to 1 (4 of 4 parts)
//
// The numbers are ordinals in the program's order. Consecutive parts are shown together. The line
// is written at once, so that lines of several processes do not mix.
static void show(const struct mpipp_schedule_item *items, uint32_t count,
                 const struct mpipp_call *call, int flushes) {
  char text[1900];
  int room = (int)sizeof text - 100;
  int used = snprintf(text, sizeof text, "mpipp: rank %d: before %s:", mpipp_registry.world_rank,
                      mpipp_procedure_names[call->procedure]);
  for (uint32_t i = 0, next; i < count && used < room; i = next) {
    const struct mpipp_deferred_operation *one = items[i].one;
    for (next = i + 1; next < count && items[next].one == one;) next++;
    used += snprintf(text + used, sizeof text - (size_t)used, "%s %u. %s to %d", i ? "," : "",
                     one->number, mpipp_procedure_names[one->operation], one->target);
    if (one->cuts && used < room)
      used += snprintf(text + used, sizeof text - (size_t)used, " (%u of %u parts)", next - i,
                       one->cuts->count);
    if (next < count && used >= room) used += snprintf(text + used, 8, ", ...");
  }
  if (flushes) used += snprintf(text + used, 32, "; each flushed");
  text[used++] = '\n';
  if (write(STDERR_FILENO, text, (size_t)used) < 0) return;
}

// Notes the operations that MPI gets before an operation that the program called earlier.
static void note_order(const struct mpipp_schedule_item *items, uint32_t count) {
  const struct mpipp_deferred_operation *first = NULL;
  for (uint32_t i = count; i-- > 0;) {
    struct mpipp_deferred_operation *one = items[i].one;
    if (first && first->number < one->number && !one->overtakes) {
      one->overtakes = 1;
      mpipp_perturb_note(&one->at, MPIPP_WAY_OVERTAKES, &first->at, 0);
    }
    if (!first || one->number < first->number) first = one;
  }
}

static void note(const struct mpipp_deferred_operation *one, int flushed) {
  if (!one->is_at_once) mpipp_perturb_note(&one->at, MPIPP_WAY_WAITS, mpipp_perturb_call_site(), 0);
  if (one->cuts) mpipp_perturb_note(&one->at, MPIPP_WAY_CUT, NULL, one->cuts->count);
  if (flushed) mpipp_perturb_note(&one->at, MPIPP_WAY_FLUSHED, NULL, 0);
  if (one->delay) mpipp_perturb_note(&one->at, MPIPP_WAY_DELAYED, NULL, (one->delay + 999) / 1000);
}

// Logs the operations in the order of their first parts.
static void keep_in_journal(const struct mpipp_schedule_item *items, uint32_t count,
                            const struct mpipp_deferred_operation *list,
                            const struct mpipp_call *call, int flushes) {
  uint32_t number = 0, of = 0;
  for (const struct mpipp_deferred_operation *one = list; one; one = one->next) of++;
  for (uint32_t i = 0; i < count; i++) {
    if (items[i].one->is_in_journal) continue;
    items[i].one->is_in_journal = 1;
    mpipp_perturb_journal_ends(items[i].one, call, ++number, of, flushes);
  }
}

static int choose_order(void) {
  int drawn = (int)mpipp_perturb_chance(16 * MPIPP_IN_PROGRAM_ORDER);
  if (mpipp_perturb_rules.order != MPIPP_BY_SEED) return mpipp_perturb_rules.order;
  return drawn < MPIPP_IN_PROGRAM_ORDER ? MPIPP_IN_PROGRAM_ORDER : drawn % MPIPP_IN_PROGRAM_ORDER;
}

static void hand_over(struct mpipp_deferred_operation *list, const struct mpipp_call *call,
                      int flushes) {
  int code = MPI_SUCCESS, order = choose_order();
  uint32_t count;
  struct mpipp_schedule_item *items = items_of(list, &count);
  for (uint32_t i = 0; items && i < count; i++) items[i].key = key(&items[i], order);
  if (items) qsort(items, count, sizeof *items, compare);
  int fine = items && keep_accumulates(items, count);
  if (fine && mpipp_perturb_rules.show) show(items, count, call, flushes);
  if (fine) note_order(items, count);
  if (fine) keep_in_journal(items, count, list, call, flushes);
  for (uint32_t i = 0; fine && i < count && code == MPI_SUCCESS; i++) {
    linger(items[i].one);
    code = mpipp_perturb_deferred_hand_over(items[i].one, items[i].cut);
    if (flushes && code == MPI_SUCCESS)
      code = PMPI(Win_flush)(items[i].one->target, (MPI_Win)(uintptr_t)list->win);
  }
  // Without memory, the operations are passed in the program's order.
  for (const struct mpipp_deferred_operation *one = list; !fine && one && code == MPI_SUCCESS;
       one = one->next)
    code = mpipp_perturb_deferred_hand_over(one, -1);
  free(items);
}

void mpipp_perturb_hand_over(struct mpipp_deferred_operation *list, const struct mpipp_call *call,
                             int passive) {
  if (!list) return;
  mpipp_perturb_chance_part(0);
  int flushes = passive && mpipp_perturb_choose(mpipp_perturb_rules.flush, 12);
  hand_over(list, call, flushes);
  while (list) {
    struct mpipp_deferred_operation *next = list->next;
    // MPICH 4.0 reports gets as locally complete too early, and reads put data later. So the
    // operation needs a copy of its data.
    int has_copy = list->origin.copy || list->compare.copy;
    if (passive && !flushes && (list->is_request || list->fetches || has_copy))
      PMPI(Win_flush)(list->target, (MPI_Win)(uintptr_t)list->win);
    note(list, flushes);
    mpipp_perturb_deferred_release(list);
    mpipp_perturb_deferred_free(list);
    list = next;
  }
}
