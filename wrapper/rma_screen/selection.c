// SPDX-License-Identifier: MIT
#include "rma_screen/selection.h"

#include <stdlib.h>
#include <string.h>

#include "registry/rma_log_entry.h"

static int by_low(const void *one, const void *other) {
  const struct mpipp_screen_range *a = one, *b = other;
  return (a->low > b->low) - (a->low < b->low);
}

// Sorts ranges, and merges those that touch.
static void merge_ranges(struct mpipp_screen_ranges *of) {
  if (of->count == of->sorted) return;
  qsort(of->of, of->count, sizeof *of->of, by_low);
  uint32_t last = 0;
  for (uint32_t i = 1; i < of->count; i++) {
    if (of->of[i].low > of->of[last].high)
      of->of[++last] = of->of[i];
    else if (of->of[i].high > of->of[last].high)
      of->of[last].high = of->of[i].high;
  }
  of->count = of->sorted = last + 1;
}

// Returns whether one of the sorted ranges has bytes of [low, high).
static int has_bytes(const struct mpipp_screen_ranges *of, int64_t low, int64_t high) {
  uint32_t first = 0, last = of->sorted;
  while (first < last) {
    uint32_t middle = first + (last - first) / 2;
    if (of->of[middle].high <= low)
      first = middle + 1;
    else
      last = middle;
  }
  return first < of->sorted && of->of[first].low < high;
}

static void add_range(struct mpipp_screen_state *s, const struct mpipp_screen_access *one) {
  struct mpipp_screen_ranges *to = &s->selection->suspects[one->owner];
  struct mpipp_screen_range *last = to->count ? &to->of[to->count - 1] : NULL;
  if (last && last->low <= one->low && one->high <= last->high) return;
  if (to->count == to->capacity) {
    merge_ranges(to);
    if (to->count >= to->capacity / 2) {
      uint32_t count = to->capacity; // so that the list grows
      to->of = mpipp_screen_grow(s, to->of, count, &to->capacity, sizeof *to->of);
    }
  }
  to->of[to->count++] = (struct mpipp_screen_range){one->low, one->high};
}

void mpipp_screen_suspect(struct mpipp_screen_state *s, const struct mpipp_screen_access *before,
                          const struct mpipp_screen_access *one) {
  EXPECT(s, s->selection);
  if (s->selection->is_selecting) return;
  add_range(s, before);
  add_range(s, one);
}

int mpipp_screen_has_suspects(struct mpipp_screen_selection *selection) {
  int has = 0;
  for (uint32_t i = 0; i < selection->number; i++) {
    merge_ranges(&selection->suspects[i]);
    has |= selection->suspects[i].count > 0;
  }
  return has;
}

void mpipp_screen_free_suspects(struct mpipp_screen_selection *selection) {
  for (uint32_t i = 0; selection->suspects && i < selection->number; i++)
    free(selection->suspects[i].of);
  free(selection->suspects);
}

void mpipp_screen_note_lock(struct mpipp_screen_state *s, uint64_t bits) {
  if (s->selection && bits & MPIPP_LOG_EXCLUSIVE) s->selection->has_exclusive = 1;
}

void mpipp_screen_note_fetch(struct mpipp_screen_state *s) {
  if (s->selection) s->selection->has_fetches = 1;
}

void mpipp_screen_note_unfit(struct mpipp_screen_state *s) {
  if (s->selection) s->selection->is_unfit = 1;
}

static void report_use(struct mpipp_screen_state *s, uint32_t me,
                       const struct mpipp_screen_flag_use *of, enum mpipp_screen_use use,
                       uint64_t entry) {
  if (!entry) return;
  const struct mpipp_screen_epochs *mine = s->windows[of->window].epochs[me];
  int64_t words[MPIPP_SCREEN_ANSWERS] = {(int64_t)mine->serial, (int64_t)s->logs[of->owner].rank,
                                         of->flag, use};
  EXPECT(s, !s->ask(MPIPP_SCREEN_FLAG_USE, me, entry - 1, 0, words));
}

void mpipp_screen_report_flags(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  for (uint32_t i = 0; i < p->used.count; i++) {
    struct mpipp_screen_flag_use *one = &p->uses[p->used.of[i]];
    report_use(s, me, one, MPIPP_SCREEN_SUSPECTED, one->suspected);
    report_use(s, me, one, MPIPP_SCREEN_READ, one->read);
    report_use(s, me, one, MPIPP_SCREEN_WRITTEN, one->written);
    one->suspected = one->read = one->written = 0;
    one->is_used = 0;
  }
  p->used.count = 0;
}

static struct mpipp_screen_flag_use *use_of(struct mpipp_screen_state *s, uint32_t me,
                                            uint32_t window, uint32_t owner,
                                            enum mpipp_screen_flag flag) {
  struct mpipp_screen_process *p = &s->processes[me];
  struct mpipp_screen_slot *slot =
      mpipp_screen_slot(s, &p->flags, (uint64_t)window << 32 | owner, flag);
  if (slot->value == NONE) {
    GROW(s, p->uses, p->use_count, p->use_capacity);
    p->uses[p->use_count] = (struct mpipp_screen_flag_use){
        .window = window, .owner = owner, .flag = (uint8_t)flag, .segment = -1};
    slot->value = p->use_count++;
  }
  struct mpipp_screen_flag_use *found = &p->uses[slot->value];
  if (!found->is_used) mpipp_screen_push(s, &p->used, slot->value);
  found->is_used = 1;
  return found;
}

static int may_be_flag(const struct mpipp_screen_state *s, enum mpipp_screen_flag flag) {
  return flag == MPIPP_SCREEN_ATOMIC ? s->selection->has_fetches : s->selection->has_exclusive;
}

static void note_write(struct mpipp_screen_state *s, uint32_t me, uint32_t window, uint32_t owner,
                       enum mpipp_screen_flag flag) {
  if (may_be_flag(s, flag)) use_of(s, me, window, owner, flag)->written = s->processes[me].entries;
}

static void note_search(struct mpipp_screen_state *s, uint32_t me, uint32_t window, uint32_t owner,
                        enum mpipp_screen_flag flag) {
  struct mpipp_screen_flag_use *use = use_of(s, me, window, owner, flag);
  if (!use->has_suspected) use->suspected = s->processes[me].entries;
  use->has_suspected = 1;
}

// The engine uses only the first read in a segment.
static void note_read(struct mpipp_screen_state *s, uint32_t me, uint32_t window, uint32_t owner,
                      enum mpipp_screen_flag flag) {
  const struct mpipp_screen_process *p = &s->processes[me];
  if (!may_be_flag(s, flag)) return;
  struct mpipp_screen_flag_use *use = use_of(s, me, window, owner, flag);
  if (use->segment == p->clock[me]) return;
  use->segment = p->clock[me];
  use->read = p->entries;
}

void mpipp_screen_begin_entry(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  if (!mpipp_screen_is_selecting(s)) return;
  p->added_count = 0;
  p->touches = 0;
  EXPECT(s, p->entries <= p->log->entries);
  if ((p->entries - 1) % MPIPP_SCREEN_TURN == 0) mpipp_screen_report_flags(s, me);
  if (p->selects_all) mpipp_screen_select(s, me);
}

void mpipp_screen_select(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  if (!mpipp_screen_is_selecting(s) || p->log->selected[p->entries - 1]) return;
  p->log->selected[p->entries - 1] = 1;
  mpipp_screen_report_flags(s, me);
}

void mpipp_screen_note_access(struct mpipp_screen_state *s, uint32_t me,
                              const struct mpipp_screen_access *one) {
  if (mpipp_screen_is_selecting(s))
    s->processes[me].touches |=
        (uint8_t)has_bytes(&s->selection->suspects[one->owner], one->low, one->high);
}

void mpipp_screen_note_pending(struct mpipp_screen_state *s, uint32_t me, uint32_t number) {
  struct mpipp_screen_process *p = &s->processes[me];
  if (mpipp_screen_is_selecting(s)) p->added[p->added_count++] = number;
}

static uint64_t first_exclusive(const struct mpipp_screen_state *s,
                                const struct mpipp_screen_process *p, uint32_t me) {
  uint64_t first = p->entries - 1;
  for (uint32_t i = 0; i < p->own.count; i++) {
    const struct mpipp_screen_epochs *mine = s->windows[p->own.of[i]].epochs[me];
    for (uint32_t at = 0; mine->lock_count && at < mine->size_of_group; at++)
      if (mine->locks[at] == 1 + EXCLUSIVE && mine->lock_entries[at] < first)
        first = mine->lock_entries[at];
  }
  return first;
}

static void select_pending(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  for (uint32_t i = 0; i < p->own.count; i++) {
    const struct mpipp_screen_epochs *mine = s->windows[p->own.of[i]].epochs[me];
    for (uint32_t at = 0; at < mine->targets.count; at++) {
      const struct mpipp_screen_numbers *pending = &mine->pending[mine->targets.of[at]];
      for (uint32_t of = 0; of < pending->count; of++) s->accesses[pending->of[of]].is_selected = 1;
    }
  }
  for (uint32_t i = 0; i < p->request_count; i++) {
    struct mpipp_screen_request *one = &p->requests[i];
    if (!one->is_active || !one->is_operation) continue;
    one->is_selected = 1;
    for (uint32_t at = 0; at < one->count; at++) s->accesses[one->accesses[at]].is_selected = 1;
  }
}

// Selects the calls that opened the epochs of locks which are open.
static void select_open(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  for (uint32_t i = 0; i < p->own.count; i++) {
    const struct mpipp_screen_epochs *mine = s->windows[p->own.of[i]].epochs[me];
    if (mine->all_locked) p->log->selected[mine->all_lock_entry] = 1;
    for (uint32_t at = 0; mine->lock_count && at < mine->size_of_group; at++)
      if (mine->locks[at]) p->log->selected[mine->lock_entries[at]] = 1;
  }
}

// Selects all entries since the first exclusive lock, because the engine must know
// whether the epoch has read before it writes.
static void select_all(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  p->selects_all = 1;
  uint64_t first = first_exclusive(s, p, me);
  memset(p->log->selected + first, 1, p->entries - first);
  select_pending(s, me);
}

static void select_with_epochs(struct mpipp_screen_state *s, uint32_t me) {
  mpipp_screen_select(s, me);
  if (s->processes[me].selects_all) return;
  select_open(s, me);
  if (s->processes[me].exclusive_locks) select_all(s, me);
}

void mpipp_screen_select_operation(struct mpipp_screen_state *s, uint32_t me,
                                   const struct mpipp_screen_access *at,
                                   struct mpipp_screen_request *request, int is_needed) {
  struct mpipp_screen_process *p = &s->processes[me];
  if (!mpipp_screen_is_selecting(s)) return;
  if (is_needed || p->touches || p->selects_all) {
    for (uint32_t i = 0; i < p->added_count; i++) s->accesses[p->added[i]].is_selected = 1;
    if (request) request->is_selected = 1;
    select_with_epochs(s, me);
    return;
  }
  if (at->kind == GET || at->low >= at->high) return;
  if (at->kind == ACCUMULATE && at->op != MPIPP_SCREEN_NO_OP)
    note_write(s, me, at->op_window, at->owner, MPIPP_SCREEN_ATOMIC);
  if (at->lock != UNLOCKED) note_write(s, me, at->op_window, at->owner, MPIPP_SCREEN_LOCKED);
}

void mpipp_screen_select_access(struct mpipp_screen_state *s, uint32_t me,
                                const struct mpipp_screen_access *one) {
  const struct mpipp_screen_process *p = &s->processes[me];
  if (!mpipp_screen_is_selecting(s)) return;
  if (p->touches || p->selects_all) {
    select_with_epochs(s, me);
  } else if (one->window != NONE && one->lock != UNLOCKED) {
    if (one->kind == STORE)
      note_write(s, me, one->window, me, MPIPP_SCREEN_LOCKED);
    else
      note_read(s, me, one->window, me, MPIPP_SCREEN_LOCKED);
  }
}

void mpipp_screen_select_end(struct mpipp_screen_state *s, uint32_t me,
                             const struct mpipp_screen_access *one) {
  if (one->is_selected) {
    mpipp_screen_select(s, me);
    return;
  }
  if (one->kind != WRITTEN) return;
  uint32_t owner = mpipp_screen_member(s, &s->windows[one->op_window], one->target);
  if (!one->is_get) {
    note_search(s, me, one->op_window, owner, MPIPP_SCREEN_ATOMIC);
    note_read(s, me, one->op_window, owner, MPIPP_SCREEN_ATOMIC);
  }
  if (one->in_lock) note_read(s, me, one->op_window, owner, MPIPP_SCREEN_LOCKED);
}

// Returns whether a process has open epochs or pending operations.
static int has_open(const struct mpipp_screen_state *s, const struct mpipp_screen_process *p,
                    uint32_t me) {
  for (uint32_t i = 0; i < p->own.count; i++) {
    const struct mpipp_screen_epochs *mine = s->windows[p->own.of[i]].epochs[me];
    if (mine->all_locked || mine->lock_count || mine->targets.count) return 1;
  }
  for (uint32_t i = 0; p->active.count && i < p->request_count; i++)
    if (p->requests[i].is_active && p->requests[i].is_operation) return 1;
  return 0;
}

void mpipp_screen_select_lock(struct mpipp_screen_state *s, uint32_t me, uint32_t window,
                              uint32_t target, uint64_t *entry) {
  struct mpipp_screen_process *p = &s->processes[me];
  if (!mpipp_screen_is_selecting(s)) return;
  *entry = p->entries - 1;
  if (target == NONE || !(p->entry.words[2] & MPIPP_LOG_EXCLUSIVE)) return;
  uint32_t owner = mpipp_screen_member(s, &s->windows[window], target);
  mpipp_screen_report_flags(s, me);
  note_search(s, me, window, owner, MPIPP_SCREEN_LOCKED);
  if (p->entry.words[2] & MPIPP_LOG_NO_CHECK) return;
  int is_alone = !has_open(s, p, me);
  p->exclusive_locks++;
  if (!is_alone) select_with_epochs(s, me);
}

void mpipp_screen_select_unlock(struct mpipp_screen_state *s, uint32_t me, uint64_t entry,
                                int is_exclusive) {
  struct mpipp_screen_process *p = &s->processes[me];
  if (!mpipp_screen_is_selecting(s)) return;
  if (p->log->selected[entry]) mpipp_screen_select(s, me);
  if (!is_exclusive || --p->exclusive_locks) return;
  p->selects_all = 0;
}
