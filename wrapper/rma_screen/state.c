// SPDX-License-Identifier: MIT
#include "rma_screen/state.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 16 };

void mpipp_screen_end(struct mpipp_screen_state *s, int reason) {
  s->reason = reason;
  longjmp(s->uncertain, 1);
}

void *mpipp_screen_grow(struct mpipp_screen_state *s, void *of, uint32_t count, uint32_t *capacity,
                        size_t size) {
  if (count < *capacity) return of;
  uint32_t more = *capacity ? 2 * *capacity : FEW;
  void *made = realloc(of, more * size);
  EXPECT(s, made && more > *capacity);
  *capacity = more;
  return made;
}

void *mpipp_screen_zeros(struct mpipp_screen_state *s, size_t count, size_t size) {
  void *made = calloc(count ? count : 1, size);
  EXPECT(s, made);
  return made;
}

void mpipp_screen_push(struct mpipp_screen_state *s, struct mpipp_screen_numbers *to,
                       uint32_t number) {
  GROW(s, to->of, to->count, to->capacity);
  to->of[to->count++] = number;
}

static uint64_t hash(uint64_t one, uint64_t other) {
  uint64_t x = (one + 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u ^ other * 0x94D049BB133111EBu;
  x ^= x >> 32;
  return (x * 0xD6E8FEB86659FD93u) >> 20;
}

struct mpipp_screen_slot *mpipp_screen_find(const struct mpipp_screen_table *of, uint64_t one,
                                            uint64_t other) {
  if (!of->capacity) return NULL;
  uint64_t mask = of->capacity - 1;
  for (uint64_t at = hash(one, other) & mask; of->slots[at].used; at = (at + 1) & mask)
    if (of->slots[at].one == one && of->slots[at].other == other) return &of->slots[at];
  return NULL;
}

static struct mpipp_screen_slot *place(struct mpipp_screen_table *of, uint64_t one,
                                       uint64_t other) {
  uint64_t mask = of->capacity - 1, at = hash(one, other) & mask;
  while (of->slots[at].used) at = (at + 1) & mask;
  of->slots[at] = (struct mpipp_screen_slot){one, other, NONE, 1};
  of->count++;
  return &of->slots[at];
}

static void widen(struct mpipp_screen_state *s, struct mpipp_screen_table *of) {
  struct mpipp_screen_table wider = {NULL, of->capacity ? 2 * of->capacity : 2 * FEW, 0};
  EXPECT(s, wider.capacity > of->capacity);
  wider.slots = mpipp_screen_zeros(s, wider.capacity, sizeof *wider.slots);
  for (uint32_t i = 0; i < of->capacity; i++)
    if (of->slots[i].used)
      place(&wider, of->slots[i].one, of->slots[i].other)->value = of->slots[i].value;
  free(of->slots);
  *of = wider;
}

struct mpipp_screen_slot *mpipp_screen_slot(struct mpipp_screen_state *s,
                                            struct mpipp_screen_table *of, uint64_t one,
                                            uint64_t other) {
  struct mpipp_screen_slot *found = mpipp_screen_find(of, one, other);
  if (found) return found;
  if (2 * (of->count + 1) > of->capacity) widen(s, of);
  return place(of, one, other);
}

// Closes the gap, so that all later entries of the chain are still found.
void mpipp_screen_remove(struct mpipp_screen_table *of, struct mpipp_screen_slot *slot) {
  uint64_t mask = of->capacity - 1, gap = (uint64_t)(slot - of->slots);
  for (uint64_t at = (gap + 1) & mask; of->slots[at].used; at = (at + 1) & mask) {
    uint64_t home = hash(of->slots[at].one, of->slots[at].other) & mask;
    if (((at - home) & mask) >= ((at - gap) & mask)) {
      of->slots[gap] = of->slots[at];
      gap = at;
    }
  }
  of->slots[gap].used = 0;
  of->count--;
}

struct mpipp_screen_request *mpipp_screen_add_request(struct mpipp_screen_state *s,
                                                      struct mpipp_screen_process *p,
                                                      uint64_t number) {
  struct mpipp_screen_slot *slot = mpipp_screen_slot(s, &p->active, number, 0);
  EXPECT(s, slot->value == NONE);
  if (p->free_requests.count) {
    slot->value = p->free_requests.of[--p->free_requests.count];
  } else {
    GROW(s, p->requests, p->request_count, p->request_capacity);
    slot->value = p->request_count++;
  }
  struct mpipp_screen_request *made = &p->requests[slot->value];
  memset(made, 0, sizeof *made);
  made->number = number;
  made->is_active = 1;
  return made;
}

void mpipp_screen_drop_request(struct mpipp_screen_state *s, struct mpipp_screen_process *p,
                               struct mpipp_screen_request *request) {
  request->is_active = 0;
  mpipp_screen_push(s, &p->free_requests, (uint32_t)(request - p->requests));
  mpipp_screen_remove(&p->active, mpipp_screen_find(&p->active, request->number, 0));
}

uint32_t mpipp_screen_window(struct mpipp_screen_state *s, const struct mpipp_screen_process *p,
                             uint64_t serial) {
  const struct mpipp_screen_slot *found = mpipp_screen_find(&p->windows, serial, 0);
  EXPECT(s, found);
  return found->value;
}

uint32_t mpipp_screen_answer(struct mpipp_screen_state *s, uint32_t me,
                             struct mpipp_screen_table *of, int question, uint64_t number) {
  struct mpipp_screen_slot *known = mpipp_screen_slot(s, of, number, 0);
  if (known->value == NONE) {
    int64_t answer[MPIPP_SCREEN_ANSWERS] = {0};
    EXPECT(s, !s->ask(question, me, number, 0, answer));
    // A basic datatype has a number of 24 bits, and at most 255 bytes.
    EXPECT(s, answer[0] >= 0 && answer[0] < 1 << 24 && answer[1] >= 0 && answer[1] < 1 << 7);
    known->value = (uint32_t)(answer[0] | answer[1] << 24);
  }
  return known->value;
}

uint32_t mpipp_screen_member(struct mpipp_screen_state *s, const struct mpipp_screen_window *window,
                             uint64_t rank) {
  EXPECT(s, rank < window->size);
  const struct mpipp_screen_slot *at =
      mpipp_screen_find(&s->indices, window->ranks ? window->ranks[rank] : rank, 0);
  EXPECT(s, at);
  return at->value;
}
