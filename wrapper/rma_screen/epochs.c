// SPDX-License-Identifier: MIT
#include "rma_screen/epochs.h"

#include <string.h>

#include "registry/rma_log_entry.h"
#include "rma_screen/accesses.h"
#include "rma_screen/active_target.h"
#include "rma_screen/selection.h"

static const int64_t MOST_BYTES = (int64_t)1 << 60; // more than any address

static const struct mpipp_screen_type *type_of(struct mpipp_screen_state *s, uint32_t me,
                                               uint64_t record, uint64_t count) {
  struct mpipp_screen_slot *known = mpipp_screen_slot(s, &s->processes[me].types, record, count);
  if (known->value == NONE) {
    int64_t answer[MPIPP_SCREEN_ANSWERS] = {0};
    EXPECT(s, !s->ask(MPIPP_SCREEN_MEMORY, me, record, count, answer));
    GROW(s, s->types, s->type_count, s->type_capacity);
    for (int i = 0; i < 4; i++) EXPECT(s, -MOST_BYTES < answer[i] && answer[i] < MOST_BYTES);
    int64_t reach;
    EXPECT(s, !__builtin_mul_overflow(answer[2], answer[3], &reach) && -MOST_BYTES < reach &&
                  reach < MOST_BYTES);
    s->types[s->type_count] = (struct mpipp_screen_type){
        {answer[0], answer[1], answer[2], answer[3], answer[4] != 0}, answer[5] != 0};
    known->value = s->type_count++;
  }
  return &s->types[known->value];
}

// Sets the window that has the memory of an access, of the process itself, and
// how it is locked.
static void place(struct mpipp_screen_state *s, struct mpipp_screen_access *one) {
  struct mpipp_screen_process *p = &s->processes[one->owner];
  one->window = NONE;
  for (uint32_t i = 0; i < p->own.count; i++) {
    struct mpipp_screen_epochs *mine = s->windows[p->own.of[i]].epochs[one->owner];
    if (one->low >= (int64_t)(mine->base + mine->size) || one->high <= (int64_t)mine->base)
      continue;
    EXPECT(s, one->window == NONE); // two windows have this memory
    one->window = p->own.of[i];
    uint8_t lock = mine->locks[mine->rank] ? mine->locks[mine->rank] : mine->all_locked;
    one->lock = lock ? lock - 1 : UNLOCKED;
    if (one->kind == STORE || one->kind == WRITTEN) mine->stored = 1;
  }
}

// Adds an access that its request ends, or else a call that ends the operations
// on its target.
static void add_pending(struct mpipp_screen_state *s, struct mpipp_screen_epochs *mine,
                        struct mpipp_screen_request *request, struct mpipp_screen_access *one) {
  one->end_time = PENDING;
  one->is_pending = 1;
  one->has_request = request != NULL;
  uint32_t number = mpipp_screen_add(s, one);
  mpipp_screen_note_pending(s, (uint32_t)one->actor, number);
  if (request && one->at_origin) {
    EXPECT(s, request->count < MPIPP_SCREEN_MOST_USED);
    request->accesses[request->count++] = number;
    return;
  }
  struct mpipp_screen_numbers *pending = &mine->pending[one->target];
  if (!pending->count) mpipp_screen_push(s, &mine->targets, one->target);
  mpipp_screen_push(s, pending, number);
}

// The accesses of an operation to the buffers of its process.
static void use_buffers(struct mpipp_screen_state *s, uint32_t me, struct mpipp_screen_epochs *mine,
                        struct mpipp_screen_request *request, struct mpipp_screen_access *at,
                        int procedure, int is_no_op) {
  static const uint8_t kinds[][3] = {
      [MPIPP_SCREEN_PUT] = {READ},
      [MPIPP_SCREEN_GET] = {WRITTEN},
      [MPIPP_SCREEN_ACCUMULATE] = {READ},
      [MPIPP_SCREEN_GET_ACCUMULATE] = {READ, WRITTEN},
      [MPIPP_SCREEN_FETCH_AND_OP] = {READ, WRITTEN},
      [MPIPP_SCREEN_COMPARE_AND_SWAP] = {READ, READ, WRITTEN},
  };
  struct mpipp_screen_process *p = &s->processes[me];
  struct mpipp_screen_access used[3];
  int count = 0;
  for (int i = is_no_op; i < 3 && kinds[procedure][i]; i++) {
    const uint64_t *words = p->entry.words + MPIPP_LOG_BUFFERS + MPIPP_LOG_EACH * i;
    const struct mpipp_screen_type *type = type_of(s, me, words[2], words[1]);
    struct mpipp_screen_access *one = &used[count];
    *one = *at;
    one->kind = kinds[procedure][i];
    one->owner = me;
    one->op = one->type = one->size = one->fetches = one->reads_first = 0;
    one->lock = UNLOCKED;
    one->at_origin = 1;
    one->memory = type->memory;
    EXPECT(s, words[0] < (uint64_t)MOST_BYTES);
    one->memory.first += (int64_t)words[0];
    if (!mpipp_screen_bound(one)) continue;
    place(s, one);
    mpipp_screen_note_access(s, me, one);
    mpipp_screen_check(s, one, p->clock);
    count++;
  }
  for (int i = 0; i < count; i++) add_pending(s, mine, request, &used[i]);
}

// The access of an operation to its target.
static void use_target(struct mpipp_screen_state *s, uint32_t me, struct mpipp_screen_epochs *mine,
                       struct mpipp_screen_request *request, struct mpipp_screen_access *at,
                       const uint64_t *words, const int64_t *clock) {
  const struct mpipp_screen_window *window = &s->windows[at->window];
  const struct mpipp_screen_epochs *theirs = window->epochs[at->owner];
  const struct mpipp_screen_type *type = type_of(s, me, words[2], words[1]);
  EXPECT(s, theirs && theirs->is_made && !(type->repeats && at->kind != GET));
  at->memory = type->memory;
  int64_t from;
  EXPECT(s, !__builtin_mul_overflow((int64_t)words[0], theirs->unit, &from) && -MOST_BYTES < from &&
                from < MOST_BYTES);
  at->memory.first += (int64_t)theirs->base + from;
  if (!mpipp_screen_bound(at)) return;
  if (at->kind == GET) mine->has_gets[at->target] = 1;
  at->reads_first = at->lock == EXCLUSIVE && mine->has_gets[at->target];
  mpipp_screen_note_access(s, me, at);
  mpipp_screen_check(s, at, clock);
  add_pending(s, mine, request, at);
}

static int operands(int procedure) {
  switch (procedure) {
  case MPIPP_SCREEN_GET_ACCUMULATE:
  case MPIPP_SCREEN_FETCH_AND_OP:
    return 2;
  case MPIPP_SCREEN_COMPARE_AND_SWAP:
    return 3;
  default:
    return 1;
  }
}

// Waits for the target's call of the fence that opened the epoch.
static const int64_t *fenced_clock(struct mpipp_screen_state *s, uint32_t me,
                                   const struct mpipp_screen_epochs *mine, uint32_t owner,
                                   int64_t *joined) {
  const struct mpipp_screen_process *p = &s->processes[me];
  const struct mpipp_screen_meeting *fence = mine->meeting;
  if (!fence->has_begun[owner]) return NULL;
  const int64_t *theirs = fence->begun + (size_t)owner * s->number;
  if (theirs[owner] <= p->clock[owner]) return p->clock;
  mpipp_screen_join(s, p->clock, theirs, joined);
  return joined;
}

int mpipp_screen_operate(struct mpipp_screen_state *s, uint32_t me, int procedure,
                         int with_request) {
  struct mpipp_screen_process *p = &s->processes[me];
  const uint64_t *words = p->entry.words;
  struct mpipp_screen_access at = {
      .actor = me, .end_process = me, .frame = words[4], .at_origin = 0};
  at.window = at.op_window = mpipp_screen_window(s, p, words[0]);
  const struct mpipp_screen_window *window = &s->windows[at.window];
  struct mpipp_screen_epochs *mine = window->epochs[me];
  int buffers = operands(procedure);
  EXPECT(s, p->entry.count >= (uint64_t)(5 + 3 * (buffers + 1)));
  at.owner = mpipp_screen_member(s, window, words[1]);
  at.target = (uint32_t)words[1];
  uint8_t lock = mine->locks[at.target] ? mine->locks[at.target] : mine->all_locked;
  // Requests are only allowed in passive target epochs.
  int is_started = !lock && mine->is_started && mine->started[at.owner];
  EXPECT(s, lock || ((is_started || mine->fence) && !words[3] && !with_request));
  int64_t joined[s->number];
  const int64_t *clock = lock ? p->clock
                         : is_started
                             ? mpipp_screen_posted_clock(s, me, at.op_window, at.owner, joined)
                             : fenced_clock(s, me, mine, at.owner, joined);
  if (!clock) return 0;
  if (!lock && !is_started) mine->used = 1;
  at.lock = lock ? lock - 1 : UNLOCKED;
  at.kind = procedure == MPIPP_SCREEN_PUT ? PUT : procedure == MPIPP_SCREEN_GET ? GET : ACCUMULATE;
  const uint64_t *target = words + MPIPP_LOG_BUFFERS + MPIPP_LOG_EACH * buffers;
  if (at.kind == ACCUMULATE) {
    at.op = words[2] ? mpipp_screen_answer(s, me, &p->ops, MPIPP_SCREEN_OP, words[2])
                     : MPIPP_SCREEN_REPLACE;
    uint32_t basic = mpipp_screen_answer(s, me, &p->basics, MPIPP_SCREEN_BASIC, target[2]);
    at.type = basic & 0xffffff;
    at.size = basic >> 24;
    at.fetches = procedure != MPIPP_SCREEN_ACCUMULATE;
    at.at_origin = at.op == MPIPP_SCREEN_NO_OP && at.fetches;
    if (at.fetches) mpipp_screen_note_fetch(s);
  }
  if (at.kind == GET) at.at_origin = at.is_get = 1;
  at.in_lock = lock != 0;
  struct mpipp_screen_request *request = NULL;
  if (words[3]) {
    request = mpipp_screen_add_request(s, p, words[3]);
    request->is_operation = 1;
    request->window = at.op_window;
    request->target = at.target;
  }
  use_buffers(s, me, mine, request, &at, procedure,
              at.kind == ACCUMULATE && at.op == MPIPP_SCREEN_NO_OP);
  use_target(s, me, mine, request, &at, target, clock);
  // The engine waits in these operations for other processes, or notes flags in another order.
  int is_needed = is_started || (!lock && (!mine->is_ordered || mpipp_screen_may_be_flag(s, &at)));
  mpipp_screen_select_operation(s, me, &at, request, is_needed);
  return 1;
}

void mpipp_screen_load_or_store(struct mpipp_screen_state *s, uint32_t me) {
  struct mpipp_screen_process *p = &s->processes[me];
  const uint64_t *words = p->entry.words;
  struct mpipp_screen_access one = {.actor = me, .owner = me, .end_process = me, .op_window = NONE};
  one.kind = words[0] & 1 ? STORE : LOAD;
  one.memory = (struct mpipp_screen_blocks){(int64_t)words[1], (int64_t)words[2], (int64_t)words[3],
                                            (int64_t)words[4], 1};
  EXPECT(s, words[1] < (uint64_t)MOST_BYTES && words[2] < (uint64_t)MOST_BYTES &&
                words[4] < (uint64_t)MOST_BYTES);
  int64_t reach;
  EXPECT(s, !__builtin_mul_overflow(one.memory.stride, one.memory.times, &reach) &&
                -MOST_BYTES < reach && reach < MOST_BYTES);
  if (!mpipp_screen_bound(&one)) return;
  place(s, &one);
  mpipp_screen_note_access(s, me, &one);
  mpipp_screen_check(s, &one, p->clock);
  mpipp_screen_select_access(s, me, &one);
  one.end_time = p->clock[me];
  if (one.window != NONE) mpipp_screen_add(s, &one);
}

// Ends the requests of operations on a target; NONE: on all targets.
static void end_requests(struct mpipp_screen_state *s, uint32_t me, uint32_t window,
                         uint32_t target, uint64_t frame) {
  struct mpipp_screen_process *p = &s->processes[me];
  for (uint32_t i = 0; p->active.count && i < p->request_count; i++) {
    struct mpipp_screen_request *one = &p->requests[i];
    if (one->is_active && one->is_operation && one->window == window &&
        (target == NONE || one->target == target))
      mpipp_screen_end_request(s, me, one, frame);
  }
}

// Ends the operations on a target: at the origin, or everywhere.
static void end_target(struct mpipp_screen_state *s, uint32_t me, struct mpipp_screen_epochs *mine,
                       uint32_t target, uint64_t frame, int everywhere) {
  struct mpipp_screen_numbers *pending = &mine->pending[target];
  uint32_t left = 0;
  for (uint32_t i = 0; i < pending->count; i++) {
    struct mpipp_screen_access *one = &s->accesses[pending->of[i]];
    if (one->at_origin || everywhere) {
      EXPECT(s, !mpipp_screen_is_gone(one, frame));
      mpipp_screen_complete(s, pending->of[i], me, s->processes[me].clock[me]);
    } else {
      pending->of[left++] = pending->of[i];
    }
  }
  pending->count = left;
}

static void end_all(struct mpipp_screen_state *s, uint32_t me, struct mpipp_screen_epochs *mine,
                    uint64_t frame, int everywhere) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < mine->targets.count; i++) {
    uint32_t target = mine->targets.of[i];
    end_target(s, me, mine, target, frame, everywhere);
    if (mine->pending[target].count) mine->targets.of[left++] = target;
  }
  mine->targets.count = left;
}

static void end_for_target(struct mpipp_screen_state *s, uint32_t me,
                           struct mpipp_screen_epochs *mine, uint32_t target, uint64_t frame,
                           int everywhere) {
  if (!mine->pending[target].count) return;
  end_target(s, me, mine, target, frame, everywhere);
  if (mine->pending[target].count) return;
  for (uint32_t i = 0; i < mine->targets.count; i++)
    if (mine->targets.of[i] == target) {
      mine->targets.of[i] = mine->targets.of[--mine->targets.count];
      return;
    }
}

void mpipp_screen_end_fence_epoch(struct mpipp_screen_state *s, uint32_t me,
                                  struct mpipp_screen_epochs *mine) {
  const uint64_t *words = s->processes[me].entry.words;
  EXPECT(s, !mine->lock_count && !mine->all_locked && !mine->is_started && !mine->is_posted);
  EXPECT(s, !(words[2] & MPIPP_LOG_NO_PRECEDE && mine->targets.count));
  end_all(s, me, mine, words[3], 1);
  mine->stored = mine->used = 0;
}

void mpipp_screen_expect_no_epoch(struct mpipp_screen_state *s,
                                  const struct mpipp_screen_epochs *mine) {
  EXPECT(s, !mine->lock_count && !mine->all_locked && !mine->used && !mine->is_started &&
                !mine->is_posted);
}

static uint8_t exclusion(uint64_t bits) {
  if (bits & MPIPP_LOG_NO_CHECK) return 1 + UNLOCKED;
  return bits & MPIPP_LOG_EXCLUSIVE ? 1 + EXCLUSIVE : 1 + SHARED;
}

static void unlock_all(struct mpipp_screen_state *s, uint32_t me, struct mpipp_screen_epochs *mine,
                       uint64_t frame) {
  EXPECT(s, mine->all_locked);
  mine->all_locked = mine->stored = 0;
  end_all(s, me, mine, frame, 1);
  mpipp_screen_select_unlock(s, me, mine->all_lock_entry, 0);
}

static void unlock(struct mpipp_screen_state *s, uint32_t me, struct mpipp_screen_epochs *mine,
                   uint32_t target, uint64_t frame) {
  EXPECT(s, mine->locks[target]);
  int is_exclusive = mine->locks[target] == 1 + EXCLUSIVE;
  mine->locks[target] = mine->has_gets[target] = mine->stored = 0;
  mine->lock_count--;
  end_for_target(s, me, mine, target, frame, 1);
  mpipp_screen_select_unlock(s, me, mine->lock_entries[target], is_exclusive);
}

void mpipp_screen_synchronize(struct mpipp_screen_state *s, uint32_t me, int procedure) {
  struct mpipp_screen_process *p = &s->processes[me];
  const uint64_t *words = p->entry.words;
  uint32_t number = mpipp_screen_window(s, p, words[0]);
  struct mpipp_screen_window *window = &s->windows[number];
  struct mpipp_screen_epochs *mine = window->epochs[me];
  uint32_t target = (uint32_t)words[1];
  uint64_t frame = words[3];
  int has_target = words[1] != MPIPP_LOG_NOT_KNOWN, is_locked = mine->all_locked;
  if (has_target) mpipp_screen_member(s, window, words[1]);
  if (has_target) is_locked |= mine->locks[target];
  if (!has_target) is_locked |= mine->lock_count > 0;
  EXPECT(s, !(words[2] & MPIPP_LOG_NO_STORE));
  if (procedure >= MPIPP_SCREEN_UNLOCK && procedure <= MPIPP_SCREEN_FLUSH_LOCAL_ALL)
    end_requests(s, me, number, has_target ? target : NONE, frame);
  if (procedure == MPIPP_SCREEN_LOCK || procedure == MPIPP_SCREEN_LOCK_ALL) {
    // Memory must not be locked and exposed at once.
    EXPECT(s, !window->has_posts && !mine->is_started);
    window->has_locks = 1;
  }
  switch (procedure) {
  case MPIPP_SCREEN_LOCK:
    EXPECT(s, has_target && !is_locked && !mine->used);
    mpipp_screen_note_lock(s, words[2]);
    mpipp_screen_select_lock(s, me, number, target, &mine->lock_entries[target]);
    mine->locks[target] = exclusion(words[2]);
    mine->lock_count++;
    break;
  case MPIPP_SCREEN_LOCK_ALL:
    EXPECT(s, !has_target && !is_locked && !mine->used);
    mpipp_screen_select_lock(s, me, number, NONE, &mine->all_lock_entry);
    mine->all_locked = exclusion(words[2] & ~(uint64_t)MPIPP_LOG_EXCLUSIVE);
    break;
  case MPIPP_SCREEN_UNLOCK:
    EXPECT(s, has_target);
    unlock(s, me, mine, target, frame);
    break;
  case MPIPP_SCREEN_UNLOCK_ALL:
    unlock_all(s, me, mine, frame);
    break;
  case MPIPP_SCREEN_FLUSH:
  case MPIPP_SCREEN_FLUSH_LOCAL:
    EXPECT(s, has_target && is_locked);
    end_for_target(s, me, mine, target, frame, procedure == MPIPP_SCREEN_FLUSH);
    break;
  case MPIPP_SCREEN_FLUSH_ALL:
  case MPIPP_SCREEN_FLUSH_LOCAL_ALL:
    EXPECT(s, !has_target && is_locked);
    end_all(s, me, mine, frame, procedure == MPIPP_SCREEN_FLUSH_ALL);
    break;
  case MPIPP_SCREEN_SYNC:
    EXPECT(s, !has_target && is_locked);
    mpipp_screen_note_unfit(s); // loads and stores may be flags
    mine->stored = 0;
    break;
  default:
    UNCERTAIN(s);
  }
}

static void expect_not_pending(struct mpipp_screen_state *s, const struct mpipp_screen_epochs *mine,
                               int64_t start, int64_t end) {
  for (uint32_t i = 0; i < mine->targets.count; i++) {
    const struct mpipp_screen_numbers *pending = &mine->pending[mine->targets.of[i]];
    for (uint32_t at = 0; at < pending->count; at++) {
      const struct mpipp_screen_access *one = &s->accesses[pending->of[at]];
      int is_buffer = one->kind == READ || one->kind == WRITTEN;
      EXPECT(s, !is_buffer || one->low >= end || one->high <= start);
    }
  }
}

void mpipp_screen_free_memory(struct mpipp_screen_state *s, uint32_t me) {
  const struct mpipp_screen_process *p = &s->processes[me];
  uint64_t start = p->entry.words[0], length = p->entry.words[1];
  EXPECT(s, start < (uint64_t)MOST_BYTES && length < (uint64_t)MOST_BYTES);
  for (uint32_t i = 0; i < p->own.count; i++) {
    const struct mpipp_screen_epochs *mine = s->windows[p->own.of[i]].epochs[me];
    int has_bytes = start < mine->base + mine->size && mine->base < start + length;
    EXPECT(s, !(mine->of_program && has_bytes));
    expect_not_pending(s, mine, (int64_t)start, (int64_t)(start + length));
  }
  for (uint32_t i = 0; i < p->request_count; i++)
    EXPECT(s, !(p->requests[i].is_active && p->requests[i].count));
}
