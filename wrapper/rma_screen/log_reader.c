// SPDX-License-Identifier: MIT
#include "rma_screen/log_reader.h"

#include <stdlib.h>
#include <string.h>

#include "registry/rma_log_entry.h"

// The words of each kind that the screen knows, after the common ones: exactly,
// or at least.
static const struct {
  uint8_t count, is_least;
} sizes[] = {
    [MPIPP_LOGGED_COMM] = {5, 1},       [MPIPP_LOGGED_WINDOW] = {11, 0},
    [MPIPP_LOGGED_FREED] = {2, 0},      [MPIPP_LOGGED_OPERATION] = {5, 1},
    [MPIPP_LOGGED_SEND] = {6, 0},       [MPIPP_LOGGED_SYNCHRONIZATION] = {4, 1},
    [MPIPP_LOGGED_RECEIVE] = {7, 0},    [MPIPP_LOGGED_COLLECTIVE] = {5, 1},
    [MPIPP_LOGGED_COMPLETED] = {4, 1},  [MPIPP_LOGGED_ACCESS] = {6, 0},
    [MPIPP_LOGGED_ENDED] = {1, 0},      [MPIPP_LOGGED_INFO] = {2, 0},
    [MPIPP_LOGGED_VALUE] = {3, 0},      [MPIPP_LOGGED_THREADS] = {1, 0},
    [MPIPP_LOGGED_RELEASED] = {2, 0},   [MPIPP_LOGGED_ACQUIRED] = {1, 0},
    [MPIPP_LOGGED_GIVEN_BACK] = {2, 0},
};
enum { KINDS = sizeof sizes / sizeof sizes[0], KIND_BITS = 0x3f };

static int fits(uint64_t head) {
  uint64_t kind = head & MPIPP_LOG_KIND, count = (head >> 8 & 0xffffff) - MPIPP_LOG_FIRST;
  if (kind >= KINDS || !sizes[kind].count || count > 0xffffff) return 0;
  return sizes[kind].is_least ? count >= sizes[kind].count : count == sizes[kind].count;
}

// One thread must have all entries, except those that only order threads.
static void expect_thread(struct mpipp_screen_state *s, struct mpipp_screen_process *p,
                          uint64_t head) {
  if ((head & MPIPP_LOG_KIND) >= MPIPP_LOGGED_THREADS) return;
  EXPECT(s, !p->has_thread || p->thread == head >> 48);
  p->has_thread = 1;
  p->thread = head >> 48;
}

// Reads an entry with all its words.
static uint64_t read_whole(struct mpipp_screen_state *s, struct mpipp_screen_process *p,
                           const uint64_t *at, uint64_t left) {
  uint64_t words = at[0] >> 8 & 0xffffff;
  EXPECT(s, fits(at[0]) && words <= left);
  expect_thread(s, p, at[0]);
  if (p->whole_count == p->whole_capacity) {
    uint64_t more = p->whole_capacity ? 2 * p->whole_capacity : 256;
    uint64_t *made = realloc(p->whole, more * sizeof *made);
    EXPECT(s, made);
    p->whole = made;
    p->whole_capacity = more;
  }
  p->whole[p->whole_count++] = p->at;
  p->entry.head = at[0];
  p->entry.words = at + MPIPP_LOG_FIRST;
  return words;
}

// Reads an entry that is like an earlier one.
static uint64_t read_like(struct mpipp_screen_state *s, struct mpipp_screen_process *p,
                          const uint64_t *at, uint64_t left) {
  uint64_t words = MPIPP_LOG_LIKE_WORDS(at[0]), changed = MPIPP_LOG_CHANGED(at[0]);
  EXPECT(s, words && words <= left && at[0] >> 40 < p->whole_count);
  const uint64_t *whole = p->log->words + p->whole[at[0] >> 40];
  uint64_t count = (whole[0] >> 8 & 0xffffff) - MPIPP_LOG_FIRST;
  uint64_t number = (uint64_t)__builtin_popcountll(changed);
  int is_narrow = (at[0] & MPIPP_LOG_IS_NARROW) != 0;
  EXPECT(s, (whole[0] & MPIPP_LOG_KIND) == (at[0] & KIND_BITS) &&
                words == 1 + (is_narrow ? (number + 1) / 2 : number) &&
                count <= MPIPP_SCREEN_MOST_WORDS && !(changed >> (count < 24 ? count : 24)));
  p->entry.head = whole[0];
  p->entry.words = whole + MPIPP_LOG_FIRST;
  if (!changed) return words;
  memcpy(p->changed, p->entry.words, count * sizeof *p->changed);
  for (uint64_t turn = 0; changed; turn++, changed &= changed - 1) {
    int word = __builtin_ctzll(changed);
    if (is_narrow)
      p->changed[word] += (uint64_t)(int64_t)(int32_t)(at[1 + turn / 2] >> 32 * (turn % 2));
    else
      p->changed[word] = at[1 + turn];
  }
  p->entry.words = p->changed;
  return words;
}

int mpipp_screen_read(struct mpipp_screen_state *s, struct mpipp_screen_process *p) {
  uint64_t left = p->log->count - p->at;
  if (!left) return 0;
  const uint64_t *at = p->log->words + p->at;
  p->entries++;
  p->at += at[0] & MPIPP_LOG_IS_LIKE ? read_like(s, p, at, left) : read_whole(s, p, at, left);
  p->entry.kind = p->entry.head & KIND_BITS;
  p->entry.procedure = p->entry.head >> 32 & 0xffff;
  p->entry.count = (p->entry.head >> 8 & 0xffffff) - MPIPP_LOG_FIRST;
  return 1;
}
