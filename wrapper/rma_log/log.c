// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "rma_log/log.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recorder/ledger/ledger.h"
#include "recorder/threads/threads.h"
#include "registry/object_store.h"
#include "registry/registry.h"

enum { FIRST_WORDS = 1 << 9, MOST_WORDS = 1 << 19 }; // words of the first and the largest page
enum { WHOLES_BITS = 9, WAYS = 2 };

static uint32_t lock; // 1: a thread holds it
static uint64_t limit = (uint64_t)64 << 20, taken;
static struct mpipp_page *last;
static uint64_t adding; // number of words of the entry that is being added; 0: none is
static uint64_t count;
uint64_t mpipp_rma_log_calls = 0;
__thread volatile sig_atomic_t mpipp_rma_log_is_adding = 0;
__thread struct mpipp_log_thread mpipp_rma_log_thread = {0, 0, 0};
uint32_t mpipp_rma_log_thread_count = 0;
// The present knowledge of the order of threads, and the knowledge that the log has; NOT_LOGGED: it
// has none yet.
enum { NOT_LOGGED = 0xff };
static uint32_t order_known, order_logged = NOT_LOGGED;
static uint64_t whole_count; // number of complete entries: they have all their words
// A cache of the last complete entry of each place. A place selects a set of WAYS entries.
static struct mpipp_whole_entry {
  const uint64_t *words;
  uint64_t number;
} wholes[1 << WHOLES_BITS];
// The last entry, and the complete entry whose differences it has (or it is that entry).
static uint64_t *last_at;
static struct mpipp_whole_entry last_whole;

int mpipp_rma_log_as_separate = 0;
int mpipp_rma_log_finds_races = 0;

void mpipp_rma_log_open(void) {
  const char *asked = getenv("MPIPP_RMA_LOG"), *model = getenv("MPIPP_RMA");
  mpipp_rma_log_as_separate = model && !strcmp(model, "separate");
  mpipp_rma_log_finds_races = getenv("MPIPP_RACES") != NULL;
  if (asked) limit = strtoull(asked, NULL, 10);
}

// Adds a page that is twice as large as the last one, because the file can have only few regions.
static int new_page(uint64_t words) {
  uint64_t capacity = last ? 2 * last->capacity : FIRST_WORDS;
  if (capacity > MOST_WORDS) capacity = MOST_WORDS;
  if (capacity < words) capacity = words;
  uint64_t bytes = sizeof *last + capacity * sizeof(uint64_t);
  struct mpipp_page *page = taken + bytes <= limit ? mpipp_registry_map(bytes) : NULL;
  if (!page) return 0;
  taken += bytes;
  page->capacity = capacity;
  __atomic_store_n(last ? &last->next : &mpipp_registry.onesided, (uint64_t)(uintptr_t)page,
                   __ATOMIC_RELEASE);
  last = page;
  return 1;
}

// Waits for the lock. Yielding alone is not enough: the owner may have a lower priority, and would
// not run.
static MPIPP_COLD void await(void) {
  static const struct timespec a_while = {.tv_nsec = 50000};
  for (unsigned turn = 0; __atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE); turn++) {
    if (turn < 64)
      sched_yield();
    else
      nanosleep(&a_while, NULL);
  }
}

// Takes the lock. A mutex of the C library takes four times as many instructions if no other thread
// wants it.
void mpipp_rma_log_hold(void) {
  if (MPIPP_UNLIKELY(__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))) await();
}

static void release(void) {
  __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

uint64_t *mpipp_rma_log_begin(enum mpipp_logged kind, const struct mpipp_call *call,
                              uint64_t words) {
  return mpipp_rma_log_begin_at(kind, call->procedure, mpipp_recorder_place(call), words);
}

// Returns whether the log has other knowledge of the order of threads than there is now.
static int order_differs(void) {
  return order_logged != MPIPP_READ(order_known) && order_logged != NOT_LOGGED;
}

static void count_entry(void);
static uint64_t *add(enum mpipp_logged kind, uint64_t procedure, uint64_t place, uint64_t words);

// Logs the knowledge of the order of threads. The caller holds the lock.
static void log_thread_order(void) {
  order_logged = MPIPP_READ(order_known);
  uint64_t *at = add(MPIPP_LOGGED_THREADS, 0, 0, 1);
  if (!at) return;
  at[0] = order_logged;
  count_entry();
}

// This thread adds its first entry. If it is not the first thread of the process, and its creation
// was not seen, the order of threads is unknown.
static MPIPP_COLD void begin_thread(void) {
  struct mpipp_log_thread *self = &mpipp_rma_log_thread;
  self->entries = 1;
  if (!self->number) self->number = mpipp_rma_log_new_thread();
  if (!self->is_born && syscall(SYS_gettid) != getpid()) MPIPP_WRITE(order_known, 0);
  if (order_logged == NOT_LOGGED && self->number > 1) log_thread_order();
}

static int orders_threads(enum mpipp_logged kind) {
  return kind >= MPIPP_LOGGED_THREADS;
}

// The caller holds the lock.
static uint64_t *add(enum mpipp_logged kind, uint64_t procedure, uint64_t place, uint64_t words) {
  words += MPIPP_LOG_FIRST;
  if (!orders_threads(kind)) {
    if (MPIPP_UNLIKELY(!mpipp_rma_log_thread.entries)) begin_thread();
    mpipp_rma_log_thread.entries++;
    if (MPIPP_UNLIKELY(order_differs())) log_thread_order();
  }
  if (kind != MPIPP_LOGGED_ACCESS) MPIPP_WRITE(mpipp_rma_log_calls, mpipp_rma_log_calls + 1);
  int fits = last && last->used + words <= last->capacity;
  // After a gap, entries would appear to be ordered although they are not. So no more entries are
  // added.
  if (mpipp_registry.onesided_lost || (!fits && !new_page(words))) {
    mpipp_registry.onesided_lost++;
    return NULL;
  }
  uint64_t *at = &last->words[last->used];
  at[0] = MPIPP_LOG_HEAD(kind, words, procedure, mpipp_rma_log_thread.number);
  at[1] = place;
  adding = words;
  return at + MPIPP_LOG_FIRST;
}

// The words that differ, as bits. Each call in a loop compares a dozen words, so the code has no
// branches, and compares two at a time.
static inline uint64_t changes(const uint64_t *at, const uint64_t *first, uint64_t words) {
  uint64_t changed = 0, i = words;
  if (i & 1) i--, changed = at[i] != first[i];
  for (; i > MPIPP_LOG_FIRST; i -= 2) {
    uint64_t low = at[i - 2] != first[i - 2], high = at[i - 1] != first[i - 1];
    changed = changed << 2 | high << 1 | low;
  }
  return changed;
}

// The bits of words that identify datatypes in an operation.
static const uint64_t RECORDS = (uint64_t)0x1249249249249249 << MPIPP_LOG_RECORD;

static int has_place(const struct mpipp_whole_entry *whole, const uint64_t *at) {
  return whole->words && whole->words[0] == at[0] && whole->words[1] == at[1];
}

// The cache entry of a place, or the one to use for it. *is_there: whether it has the place.
static struct mpipp_whole_entry *whole_of(const uint64_t *at, int *is_there) {
  uint64_t hash = (at[1] + (at[0] & MPIPP_LOG_KIND)) * MPIPP_HASH >> (64 - WHOLES_BITS);
  for (uint64_t i = 0; i < WAYS; i++) {
    struct mpipp_whole_entry *whole = &wholes[hash ^ i];
    *is_there = has_place(whole, at);
    if (*is_there || !whole->words) return whole;
  }
  return &wholes[hash];
}

// The difference between a word and the same word of the earlier entry.
static uint64_t difference(const uint64_t *at, const uint64_t *first, uint64_t bits) {
  uint64_t i = MPIPP_LOG_FIRST + (uint64_t)__builtin_ctzll(bits);
  return at[i] - first[i];
}

static int are_narrow(const uint64_t *at, const uint64_t *first, uint64_t changed) {
  uint64_t wide = 0;
  for (uint64_t bits = changed; bits; bits &= bits - 1)
    wide |= (difference(at, first, bits) + ((uint64_t)1 << 31)) >> 32;
  return !wide;
}

// Removes the words of an entry that have not changed. Returns the number of words that remain.
static uint64_t keep_words(uint64_t *at, uint64_t changed) {
  uint64_t left = 1;
  for (; changed; changed &= changed - 1)
    at[left++] = at[MPIPP_LOG_FIRST + (uint64_t)__builtin_ctzll(changed)];
  return left;
}

// Replaces the words by their differences, two in a word.
static uint64_t keep_differences(uint64_t *at, const uint64_t *first, uint64_t changed) {
  uint64_t left = 1;
  for (; changed; changed &= changed - 1) {
    uint64_t low = difference(at, first, changed), high = 0;
    changed &= changed - 1;
    if (changed) high = difference(at, first, changed);
    at[left++] = high << 32 | (uint32_t)low;
  }
  return left;
}

// Loops write the same entry many times, except for an address or a rank. If an entry resembles an
// earlier one of its place, keeps only the differences. Returns the number of words that remain.
static uint64_t shorten(uint64_t *at, uint64_t words) {
  uint64_t kind = at[0] & MPIPP_LOG_KIND;
  int is_like = 0;
  struct mpipp_whole_entry *whole = NULL;
  // Entries of accesses stay complete, because they may grow later.
  if (words <= MPIPP_LOG_FIRST + MPIPP_LOG_MOST_CHANGED && kind != MPIPP_LOGGED_ACCESS)
    whole = whole_of(at, &is_like);
  uint64_t changed = is_like ? changes(at, whole->words, words) : 0;
  if (kind == MPIPP_LOGGED_OPERATION && changed & RECORDS) is_like = 0;
  if (!is_like || changed == ((uint64_t)1 << (words - MPIPP_LOG_FIRST)) - 1) {
    last_whole.words = NULL;
    if (whole && whole_count < MPIPP_LOG_MOST_WHOLES)
      *whole = last_whole = (struct mpipp_whole_entry){at, whole_count};
    whole_count++;
    return words;
  }
  last_whole = *whole;
  int is_narrow = are_narrow(at, whole->words, changed);
  uint64_t left = is_narrow ? keep_differences(at, whole->words, changed) : keep_words(at, changed);
  if (is_narrow) kind |= MPIPP_LOG_IS_NARROW;
  at[0] = MPIPP_LOG_LIKE(kind, left, changed, whole->number);
  return left;
}

static void count_entry(void) {
  if (!adding) return;
  last_at = &last->words[last->used];
  uint64_t words = shorten(last_at, adding);
  __atomic_store_n(&last->used, last->used + words, __ATOMIC_RELEASE);
  MPIPP_WRITE(count, count + 1);
  adding = 0;
}

uint64_t *mpipp_rma_log_begin_at(enum mpipp_logged kind, uint64_t procedure, uint64_t place,
                                 uint64_t words) {
  mpipp_rma_log_hold();
  uint64_t *at = add(kind, procedure, place, words);
  if (!at) release();
  return at;
}

uint64_t *mpipp_rma_log_next(enum mpipp_logged kind, const struct mpipp_call *call,
                             uint64_t words) {
  count_entry();
  return add(kind, call->procedure, mpipp_recorder_place(call), words);
}

void mpipp_rma_log_end(void) {
  count_entry();
  release();
}

struct mpipp_like mpipp_rma_log_find_like(uint64_t index) {
  count_entry();
  struct mpipp_like like = {.words = last_whole.words, .number = last_whole.number};
  uint64_t head = last_at[0], bit = (uint64_t)1 << index;
  if (!(head & MPIPP_LOG_IS_LIKE)) return like;
  uint64_t changed = MPIPP_LOG_CHANGED(head), words = MPIPP_LOG_LIKE_WORDS(head) - 1;
  like.changed = changed & ~bit;
  like.count = (uint64_t)__builtin_popcountll(like.changed);
  int is_short = head & MPIPP_LOG_IS_NARROW && words <= 2 && like.count <= 3;
  if (!is_short || like.changed > bit) return (struct mpipp_like){.words = NULL};
  for (uint64_t i = 0; i < words; i++) like.differences[i] = last_at[1 + i];
  // Clear the difference of the word with that index, the last that has changed:
  // mpipp_rma_log_repeat gets a new one.
  if (changed & bit) like.differences[like.count / 2] &= like.count & 1 ? UINT32_MAX : 0;
  return like;
}

int mpipp_rma_log_repeat(const struct mpipp_like *like, uint64_t index, int64_t difference) {
  enum { MOST = 3 }; // most words that this function writes for an entry
  if (difference != (int32_t)difference || order_differs()) return 0;
  mpipp_rma_log_hold();
  if (mpipp_registry.onesided_lost || last->used + MOST > last->capacity) {
    release();
    return 0;
  }
  mpipp_rma_log_thread.entries++;
  uint64_t *at = &last->words[last->used], differs = difference != 0;
  uint64_t words = 1 + (like->count + differs + 1) / 2, changed = like->changed | differs << index;
  uint64_t kind = (like->words[0] & MPIPP_LOG_KIND) | MPIPP_LOG_IS_NARROW;
  at[0] = MPIPP_LOG_LIKE(kind, words, changed, like->number);
  at[1] = like->differences[0];
  at[2] = like->differences[1];
  at[1 + like->count / 2] |= (uint64_t)(uint32_t)difference << 32 * (like->count & 1);
  MPIPP_WRITE(mpipp_rma_log_calls, mpipp_rma_log_calls + 1);
  __atomic_store_n(&last->used, last->used + words, __ATOMIC_RELEASE);
  MPIPP_WRITE(count, count + 1);
  return 1;
}

uint32_t mpipp_rma_log_new_thread(void) {
  return __atomic_add_fetch(&mpipp_rma_log_thread_count, 1, __ATOMIC_RELAXED);
}

void mpipp_rma_log_set_order(uint32_t bits) {
  MPIPP_WRITE(order_known, bits);
}

uint64_t mpipp_rma_log_count(void) {
  return MPIPP_READ(count);
}
