// SPDX-License-Identifier: MIT
#include "rma_screen/active_target.h"

#include <string.h>

#include "registry/rma_log_entry.h"
#include "rma_screen/accesses.h"
#include "rma_screen/order.h"

static uint64_t key(uint32_t window, uint32_t target, uint32_t origin) {
  return (uint64_t)window << 32 | target << 16 | origin;
}

void mpipp_screen_join(const struct mpipp_screen_state *s, const int64_t *one, const int64_t *other,
                       int64_t *joined) {
  for (uint32_t i = 0; i < s->number; i++) joined[i] = one[i] > other[i] ? one[i] : other[i];
}

const int64_t *mpipp_screen_posted_clock(struct mpipp_screen_state *s, uint32_t me, uint32_t window,
                                         uint32_t owner, int64_t *joined) {
  const int64_t *mine = s->processes[me].clock;
  const struct mpipp_screen_epochs *epochs = s->windows[window].epochs[me];
  const struct mpipp_screen_slot *post =
      mpipp_screen_find(&s->posts, key(window, owner, me), epochs->started[owner] - 1);
  if (!post) return NULL;
  const int64_t *theirs = s->sent[post->value].clock;
  if (theirs[owner] <= mine[owner]) return mine;
  mpipp_screen_join(s, mine, theirs, joined);
  return joined;
}

static void prepare(struct mpipp_screen_state *s, struct mpipp_screen_epochs *mine) {
  if (!mine->started) mine->started = mpipp_screen_zeros(s, s->number, sizeof *mine->started);
  if (!mine->starts) mine->starts = mpipp_screen_zeros(s, s->number, sizeof *mine->starts);
  if (!mine->posted) mine->posted = mpipp_screen_zeros(s, s->number, sizeof *mine->posted);
  if (!mine->posts) mine->posts = mpipp_screen_zeros(s, s->number, sizeof *mine->posts);
}

static void start(struct mpipp_screen_state *s, uint32_t me, struct mpipp_screen_epochs *mine) {
  const struct mpipp_screen_process *p = &s->processes[me];
  EXPECT(s, !mine->is_started && !mine->fence && !mine->lock_count && !mine->all_locked);
  EXPECT(s, !p->entry.words[2] && !mine->targets.count);
  for (uint64_t i = 4; i < p->entry.count; i++) {
    uint32_t target = mpipp_screen_index(s, p->entry.words[i]);
    EXPECT(s, !mine->started[target]);
    mine->started[target] = 1 + mine->starts[target]++;
  }
  mine->is_started = 1;
}

static void post(struct mpipp_screen_state *s, uint32_t me, uint32_t number) {
  const struct mpipp_screen_process *p = &s->processes[me];
  struct mpipp_screen_window *window = &s->windows[number];
  struct mpipp_screen_epochs *mine = window->epochs[me];
  EXPECT(s, !mine->is_posted && !mine->fence && !window->has_locks && !p->entry.words[2]);
  window->has_posts = 1;
  int64_t told[s->number];
  mpipp_screen_release(s, me, told);
  for (uint64_t i = 4; i < p->entry.count; i++) {
    uint32_t origin = mpipp_screen_index(s, p->entry.words[i]);
    EXPECT(s, !mine->posted[origin]);
    mpipp_screen_keep_clock(s, &s->posts, key(number, me, origin), mine->posts[origin], told);
    mine->posted[origin] = 1 + mine->posts[origin]++;
  }
  mine->is_posted = 1;
  mine->stored = 0;
}

// A result has been read only after its target has posted.
static void take_posts(struct mpipp_screen_state *s, uint32_t me, uint32_t number) {
  const struct mpipp_screen_window *window = &s->windows[number];
  const struct mpipp_screen_epochs *mine = window->epochs[me];
  for (uint32_t i = 0; i < mine->targets.count; i++) {
    uint32_t rank = mine->targets.of[i], target = mpipp_screen_member(s, window, rank);
    const struct mpipp_screen_numbers *pending = &mine->pending[rank];
    int reads = 0;
    for (uint32_t at = 0; at < pending->count; at++)
      reads |= s->accesses[pending->of[at]].kind == WRITTEN;
    if (!reads) continue;
    EXPECT(s, mine->started[target]);
    const struct mpipp_screen_slot *slot =
        mpipp_screen_find(&s->posts, key(number, target, me), mine->started[target] - 1);
    EXPECT(s, slot);
    mpipp_screen_merge(s, me, s->sent[slot->value].clock);
  }
}

// Keeps the clock of MPI_Win_complete for each target. Its operations there end with MPI_Win_wait.
static struct mpipp_screen_numbers *pass_to(struct mpipp_screen_state *s, uint32_t me,
                                            uint32_t number, uint32_t target, const int64_t *told) {
  const struct mpipp_screen_epochs *mine = s->windows[number].epochs[me];
  uint32_t clock = mpipp_screen_keep_clock(s, &s->completes, key(number, target, me),
                                           mine->started[target] - 1, told);
  while (s->left_count <= clock) {
    GROW(s, s->left, s->left_count, s->left_capacity);
    s->left[s->left_count++] = (struct mpipp_screen_numbers){NULL, 0, 0};
  }
  s->left[clock].count = 0;
  return &s->left[clock];
}

static void complete_target(struct mpipp_screen_state *s, uint32_t me,
                            struct mpipp_screen_numbers *pending, int64_t time,
                            struct mpipp_screen_numbers *left) {
  uint64_t frame = s->processes[me].entry.words[3];
  for (uint32_t i = 0; i < pending->count; i++) {
    const struct mpipp_screen_access *one = &s->accesses[pending->of[i]];
    EXPECT(s, !mpipp_screen_is_gone(one, frame));
    if (one->at_origin)
      mpipp_screen_complete(s, pending->of[i], me, time + (one->kind == WRITTEN));
    else
      mpipp_screen_push(s, left, pending->of[i]);
  }
  pending->count = 0;
}

static void complete(struct mpipp_screen_state *s, uint32_t me, uint32_t number) {
  const struct mpipp_screen_window *window = &s->windows[number];
  struct mpipp_screen_epochs *mine = window->epochs[me];
  EXPECT(s, mine->is_started);
  take_posts(s, me, number);
  int64_t told[s->number], time = s->processes[me].clock[me];
  mpipp_screen_release(s, me, told);
  for (uint32_t target = 0; target < s->number; target++) {
    if (!mine->started[target]) continue;
    struct mpipp_screen_numbers *left = pass_to(s, me, number, target, told);
    for (uint32_t i = 0; i < mine->targets.count; i++)
      if (mpipp_screen_member(s, window, mine->targets.of[i]) == target)
        complete_target(s, me, &mine->pending[mine->targets.of[i]], time, left);
    mine->started[target] = 0;
  }
  for (uint32_t i = 0; i < mine->targets.count; i++)
    EXPECT(s, !mine->pending[mine->targets.of[i]].count);
  mine->targets.count = 0;
  mine->is_started = 0;
}

static int wait_for_origins(struct mpipp_screen_state *s, uint32_t me, uint32_t number) {
  struct mpipp_screen_epochs *mine = s->windows[number].epochs[me];
  EXPECT(s, mine->is_posted);
  for (uint32_t origin = 0; origin < s->number; origin++) {
    if (!mine->posted[origin]) continue;
    uint64_t of = key(number, me, origin), which = mine->posted[origin] - 1;
    struct mpipp_screen_slot *done = mpipp_screen_find(&s->completes, of, which);
    if (!done) return 0;
    mpipp_screen_merge(s, me, s->sent[done->value].clock);
    const struct mpipp_screen_numbers *left = &s->left[done->value];
    for (uint32_t i = 0; i < left->count; i++) mpipp_screen_push(s, &mine->waited, left->of[i]);
    mpipp_screen_drop_clock(s, &s->completes, done);
    mpipp_screen_drop_clock(s, &s->posts, mpipp_screen_find(&s->posts, of, which));
    mine->posted[origin] = 0;
  }
  for (uint32_t i = 0; i < mine->waited.count; i++)
    mpipp_screen_complete(s, mine->waited.of[i], me, s->processes[me].clock[me]);
  mine->waited.count = 0;
  mine->is_posted = mine->stored = 0;
  return 1;
}

int mpipp_screen_active_target(struct mpipp_screen_state *s, uint32_t me, int procedure) {
  const struct mpipp_screen_process *p = &s->processes[me];
  uint32_t number = mpipp_screen_window(s, p, p->entry.words[0]);
  struct mpipp_screen_epochs *mine = s->windows[number].epochs[me];
  prepare(s, mine);
  switch (procedure) {
  case MPIPP_SCREEN_START:
    start(s, me, mine);
    return 1;
  case MPIPP_SCREEN_COMPLETE:
    complete(s, me, number);
    return 1;
  case MPIPP_SCREEN_POST:
    post(s, me, number);
    return 1;
  default:
    return wait_for_origins(s, me, number);
  }
}
