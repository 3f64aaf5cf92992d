// SPDX-License-Identifier: MIT
#include "rma_screen/accesses.h"

#include <stdlib.h>

#include "rma_screen/selection.h"

// The smallest cells have 2^6 bytes.
enum { LEAST = 6, SWEEP = 4096, MOST = 2000000 };

// The verdicts of mpipp/analysis/rma_engine/access_rules.py.
#include "generated/rma_verdicts.inc"

int mpipp_screen_bound(struct mpipp_screen_access *one) {
  const struct mpipp_screen_blocks *of = &one->memory;
  if (of->length <= 0 || of->times <= 0) return 0;
  int64_t reach = (of->times - 1) * of->stride;
  one->low = of->first + (reach < 0 ? reach : 0);
  one->high = of->first + (reach > 0 ? reach : 0) + of->length;
  return 1;
}

static int is_equal(const struct mpipp_screen_blocks *one,
                    const struct mpipp_screen_blocks *other) {
  return one->exact && other->exact && one->first == other->first && one->length == other->length &&
         one->times == other->times && (one->stride == other->stride || one->times == 1);
}

// Returns 0 if two accesses, whose bounds overlap, certainly have no common
// byte: for example the columns of one array.
static int may_share(const struct mpipp_screen_blocks *one,
                     const struct mpipp_screen_blocks *other) {
  if (!one->exact || !other->exact || one->stride != other->stride || one->stride <= 0) return 1;
  int64_t apart = (other->first - one->first) % one->stride;
  if (apart < 0) apart += one->stride;
  return !(one->length <= apart && apart + other->length <= one->stride);
}

// The start of all elements of an accumulate modulo their size; -1: they have
// no common start.
static int64_t phase(const struct mpipp_screen_access *one) {
  const struct mpipp_screen_blocks *of = &one->memory;
  int64_t size = one->size;
  if (size <= 1) return size == 1 ? 0 : -1;
  if (!of->exact || of->length % size || (of->stride % size && of->times > 1)) return -1;
  return of->first % size;
}

static int update_together(const struct mpipp_screen_state *s,
                           const struct mpipp_screen_access *before,
                           const struct mpipp_screen_access *one) {
  if (before->op == MPIPP_SCREEN_NO_OP && one->op == MPIPP_SCREEN_NO_OP) return 1;
  if (before->window != one->window || before->type != one->type || before->size != one->size)
    return 0;
  if (before->op != one->op) {
    int has_no_op = before->op == MPIPP_SCREEN_NO_OP || one->op == MPIPP_SCREEN_NO_OP;
    if (s->windows[one->window].has_hints || !(has_no_op || before->actor == one->actor)) return 0;
  }
  return is_equal(&before->memory, &one->memory) ||
         (phase(before) == phase(one) && phase(one) >= 0);
}

static int is_buffer(const struct mpipp_screen_access *one) {
  return one->kind == READ || one->kind == WRITTEN;
}

static int are_excluded(const struct mpipp_screen_access *before,
                        const struct mpipp_screen_access *one) {
  return before->actor != one->actor && before->lock && one->lock &&
         (before->lock == EXCLUSIVE || one->lock == EXCLUSIVE) && before->window == one->window &&
         !is_buffer(before) && !is_buffer(one);
}

// Two accesses, neither of which is ordered after the other.
static void compare(struct mpipp_screen_state *s, const struct mpipp_screen_access *before,
                    const struct mpipp_screen_access *one) {
  int verdict = verdicts[before->kind][one->kind];
  if (are_excluded(before, one)) {
    int order_decides = (before->kind == PUT && (one->kind == GET || one->kind == PUT)) ||
                        (before->kind == GET && one->kind == PUT);
    if (!order_decides || (before->reads_first && one->reads_first)) return;
  } else if (verdict == LANGUAGE) {
    return; // one thread has all loads and stores of its process
  } else if (verdict == READS) {
    const struct mpipp_screen_access *update = before->kind == ACCUMULATE ? before : one;
    if (update->op == MPIPP_SCREEN_NO_OP) return;
  } else if (verdict == ACCUMULATES && update_together(s, before, one)) {
    return;
  }
  if (may_share(&before->memory, &one->memory)) mpipp_screen_suspect(s, before, one);
}

// Returns whether all later conflicts of the earlier access are also conflicts
// of this one.
static int covers(const struct mpipp_screen_access *one, const struct mpipp_screen_access *before,
                  int is_ordered) {
  if (before->lock != one->lock || before->window != one->window || before->op != one->op ||
      before->type != one->type || before->size != one->size || before->fetches != one->fetches ||
      before->reads_first != one->reads_first)
    return 0;
  if (!is_ordered) {
    // The same call must end both.
    if (before->has_request || one->has_request || one->kind == LOAD || one->kind == STORE ||
        before->target != one->target || before->op_window != one->op_window)
      return 0;
  }
  if (is_equal(&before->memory, &one->memory)) return 1;
  return one->kind != ACCUMULATE && before->low >= one->low && before->high <= one->high &&
         one->memory.exact && one->memory.times == 1;
}

static void drop(struct mpipp_screen_state *s, uint32_t number) {
  struct mpipp_screen_access *one = &s->accesses[number];
  if (one->cells || one->is_pending) return;
  one->low = s->free_access;
  s->free_access = number;
}

// Compares an access with those in a cell. Removes those that it covers.
static void check_cell(struct mpipp_screen_state *s, struct mpipp_screen_slot *cell,
                       const struct mpipp_screen_access *one, const int64_t *clock) {
  uint32_t *from = &cell->value;
  while (*from != NONE) {
    struct mpipp_screen_cell_link *link = &s->links[*from];
    struct mpipp_screen_access *before = &s->accesses[link->access];
    if (!before->is_dead && before->low < one->high && one->low < before->high) {
      int is_ordered = before->end_time <= clock[before->end_process];
      if (!is_ordered && verdicts[before->kind][one->kind]) compare(s, before, one);
      if (before->kind == one->kind && before->actor == one->actor &&
          covers(one, before, is_ordered))
        before->is_dead = 1;
    }
    if (!before->is_dead) {
      from = &link->next;
      continue;
    }
    uint32_t at = *from;
    *from = link->next;
    before->cells--;
    drop(s, link->access);
    link->next = s->free_link;
    s->free_link = at;
  }
}

static uint64_t cell_key(int64_t address, int level) {
  return (uint64_t)address >> level;
}

void mpipp_screen_check(struct mpipp_screen_state *s, const struct mpipp_screen_access *one,
                        const int64_t *clock) {
  struct mpipp_screen_memory *of = &s->memory[one->owner];
  for (uint64_t levels = of->levels; levels; levels &= levels - 1) {
    int level = __builtin_ctzll(levels);
    uint64_t first = cell_key(one->low, level), last = cell_key(one->high - 1, level);
    if (last - first > of->cells.capacity) {
      for (uint32_t i = 0; i < of->cells.capacity; i++) {
        struct mpipp_screen_slot *cell = &of->cells.slots[i];
        if (cell->used && cell->other == (uint64_t)level && first <= cell->one && cell->one <= last)
          check_cell(s, cell, one, clock);
      }
      continue;
    }
    for (uint64_t place = first; place <= last; place++) {
      struct mpipp_screen_slot *cell = mpipp_screen_find(&of->cells, place, (uint64_t)level);
      if (cell) check_cell(s, cell, one, clock);
    }
  }
}

static void add_link(struct mpipp_screen_state *s, struct mpipp_screen_memory *of, uint64_t place,
                     int level, uint32_t number) {
  uint32_t link = s->free_link;
  if (link != NONE) {
    s->free_link = s->links[link].next;
  } else {
    GROW(s, s->links, s->link_count, s->link_capacity);
    link = s->link_count++;
  }
  struct mpipp_screen_slot *cell = mpipp_screen_slot(s, &of->cells, place, (uint64_t)level);
  s->links[link] = (struct mpipp_screen_cell_link){number, cell->value};
  cell->value = link;
  s->accesses[number].cells++;
}

// An access is in the cells of the next power of two above its size, so in at
// most two.
static void add_to_cells(struct mpipp_screen_state *s, uint32_t number) {
  const struct mpipp_screen_access *one = &s->accesses[number];
  struct mpipp_screen_memory *of = &s->memory[one->owner];
  uint64_t distance = (uint64_t)(one->high - 1 - one->low);
  int level = distance >> LEAST ? 64 - __builtin_clzll(distance) : LEAST;
  of->levels |= (uint64_t)1 << level;
  uint64_t first = cell_key(one->low, level), last = cell_key(one->high - 1, level);
  for (uint64_t place = first; place <= last; place++) add_link(s, of, place, level, number);
}

uint32_t mpipp_screen_add(struct mpipp_screen_state *s, const struct mpipp_screen_access *one) {
  uint32_t number = s->free_access;
  if (number != NONE) {
    s->free_access = (uint32_t)s->accesses[number].low;
  } else {
    EXPECT(s, s->access_count < MOST);
    GROW(s, s->accesses, s->access_count, s->access_capacity);
    number = s->access_count++;
  }
  s->accesses[number] = *one;
  add_to_cells(s, number);
  s->added++;
  return number;
}

void mpipp_screen_complete(struct mpipp_screen_state *s, uint32_t number, uint32_t process,
                           int64_t time) {
  struct mpipp_screen_access *one = &s->accesses[number];
  if (mpipp_screen_is_selecting(s)) mpipp_screen_select_end(s, process, one);
  one->is_pending = 0;
  one->end_process = process;
  one->end_time = time;
  drop(s, number);
}

void mpipp_screen_sweep(struct mpipp_screen_state *s) {
  if (s->added <= SWEEP + s->kept) return;
  int64_t known[s->number];
  for (uint32_t i = 0; i < s->number; i++) {
    known[i] = PENDING - 1;
    for (uint32_t of = 0; of < s->number; of++)
      if (!s->processes[of].has_ended && s->processes[of].clock[i] < known[i])
        known[i] = s->processes[of].clock[i];
  }
  for (uint32_t i = 0; i < s->number; i++) {
    free(s->memory[i].cells.slots);
    s->memory[i] = (struct mpipp_screen_memory){{NULL, 0, 0}, 0};
  }
  s->link_count = 0;
  s->free_link = NONE;
  s->kept = s->added = 0;
  for (uint32_t i = 0; i < s->access_count; i++) {
    struct mpipp_screen_access *one = &s->accesses[i];
    if (!one->cells) continue;
    one->cells = 0;
    if (!one->is_dead && one->end_time > known[one->end_process]) {
      add_to_cells(s, i);
      s->kept++;
    } else {
      one->is_dead = 1;
      drop(s, i);
    }
  }
}

int mpipp_screen_is_gone(const struct mpipp_screen_access *one, uint64_t frame) {
  return (one->kind == READ || one->kind == WRITTEN) && one->frame && one->frame < frame &&
         (int64_t)one->frame <= one->low && one->high <= (int64_t)frame;
}

void mpipp_screen_end_request(struct mpipp_screen_state *s, uint32_t me,
                              struct mpipp_screen_request *request, uint64_t frame) {
  struct mpipp_screen_process *p = &s->processes[me];
  for (uint32_t i = 0; i < request->count; i++) {
    EXPECT(s, !mpipp_screen_is_gone(&s->accesses[request->accesses[i]], frame));
    mpipp_screen_complete(s, request->accesses[i], me, p->clock[me]);
  }
  mpipp_screen_drop_request(s, p, request);
}
