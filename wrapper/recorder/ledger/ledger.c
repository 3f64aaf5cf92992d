// SPDX-License-Identifier: MIT
#include "recorder/ledger/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "abi/mpi_symbols.h"
#include "generated/facts.h"
#include "recorder/ledger/call_items.h"
#include "recorder/ledger/datatype_interning.h"
#include "recorder/ledger/timestamps.h"
#include "registry/registry.h"
#include "registry/stack_places.h"

enum {
  POOL_BYTES = 1 << 16,
  FIRST_PAGE = 24,   // in words
  LAST_PAGE = 4096,  // in words, unless a single call needs more
  KEPT_FOR_RUNS = 1, // words at the end of a page that are kept free for closing a run
  CONTEXT = 3,       // number of previous calls that are compared to find a period: more does not
                     // help for loops with exceptions
};

const uint64_t mpipp_recorder_no_item[MPIPP_ONE_BUFFER] = {0};

uint64_t mpipp_recorder_ledger_limit = 64 << 20;
static char *pool, *pool_end;

void mpipp_recorder_ledger_open(void) {
  const char *asked = getenv("MPIPP_LEDGER");
  if (asked) mpipp_recorder_ledger_limit = strtoull(asked, NULL, 10);
}

// Zeroed memory that is never freed. Returns NULL beyond the ledger's limit.
static void *take(uint64_t bytes) {
  if (bytes > (uint64_t)(pool_end - pool)) {
    uint64_t chunk = bytes > POOL_BYTES / 4 ? bytes : POOL_BYTES;
    if (mpipp_registry.ledger_bytes + chunk > mpipp_recorder_ledger_limit) return NULL;
    char *memory = mpipp_registry_map(chunk);
    if (!memory) return NULL;
    mpipp_registry.ledger_bytes += chunk;
    if (chunk == bytes) return memory;
    pool = memory;
    pool_end = memory + chunk;
  }
  void *taken = pool;
  pool += bytes;
  return taken;
}

uint64_t mpipp_recorder_place(const struct mpipp_call *call) {
  return mpipp_registry_stack_place(mpipp_abi_outside_mpi_at(call->caller, call->frame));
}

static uint64_t *recent_item(struct mpipp_history *history, uint64_t ordinal) {
  return &history->recent[ordinal % MPIPP_RECENT];
}

static struct mpipp_history *history_of(const struct mpipp_channel *channel) {
  return (void *)(uintptr_t)channel->history;
}

static void expect(struct mpipp_channel *channel, uint64_t item, uint32_t period) {
  channel->period = period;
  MPIPP_WRITE(channel->expected, item ? item : (uint64_t)(uintptr_t)mpipp_recorder_no_item);
}

void mpipp_recorder_note_advance(struct mpipp_channel *channel, uint64_t ordinal) {
  struct mpipp_history *history = history_of(channel);
  uint32_t period = channel->period;
  if (!history || !period) return; // another thread changes the channel, too, at the same time
  uint64_t like = history->position + 1 - period + (ordinal - history->position) % period;
  uint64_t item = *recent_item(history, like);
  if (item) MPIPP_WRITE(channel->expected, item); // 0: the item is just being replaced
}

// Space for some words at the end of the last page; `kept` more words stay free. Returns NULL
// without memory.
static uint64_t *room(struct mpipp_history *history, uint64_t words, uint64_t kept) {
  struct mpipp_page *page = (void *)(uintptr_t)history->last;
  if (page && page->used + words + kept <= page->capacity) return &page->words[page->used];
  uint64_t capacity = page ? 2 * page->capacity : FIRST_PAGE;
  if (capacity > LAST_PAGE) capacity = LAST_PAGE;
  if (capacity < words + kept) capacity = words + kept;
  struct mpipp_page *next = take(sizeof *next + capacity * sizeof(uint64_t));
  if (!next) return NULL;
  next->capacity = capacity;
  __atomic_store_n(page ? &page->next : &history->pages, (uint64_t)(uintptr_t)next,
                   __ATOMIC_RELEASE);
  history->last = (uint64_t)(uintptr_t)next;
  return next->words;
}

static void add_words(struct mpipp_history *history, uint64_t words) {
  struct mpipp_page *page = (void *)(uintptr_t)history->last;
  __atomic_store_n(&page->used, page->used + words, __ATOMIC_RELEASE);
}

// Writes an item of one word: a run, or an ordinal. Returns 0 without memory.
static int write_word(struct mpipp_history *history, uint64_t word, uint64_t kept) {
  uint64_t *place = room(history, 1, kept);
  if (!place) return 0;
  *place = word;
  add_words(history, 1);
  return 1;
}

// Writes the current run, which ends with this ordinal. The page always has space for the run.
static void close_run(struct mpipp_channel *channel, uint64_t ordinal) {
  struct mpipp_history *history = history_of(channel);
  uint64_t from = history->position, period = channel->period;
  if (!period || ordinal <= from) return;
  write_word(history, MPIPP_ITEM_RUN | period << 8 | (ordinal - from) << 16, 0);
  uint64_t first = ordinal - from > MPIPP_RECENT ? ordinal - MPIPP_RECENT + 1 : from + 1;
  uint64_t cycle[MPIPP_RECENT];
  for (uint64_t i = 0; i < period; i++) cycle[i] = *recent_item(history, from + 1 - period + i);
  for (uint64_t i = first; i <= ordinal; i++)
    *recent_item(history, i) = cycle[(i - from - 1) % period];
  history->position = ordinal;
}

// Stops recording the channel, because the ledger is full.
static void give_up(struct mpipp_channel *channel) {
  struct mpipp_history *history = history_of(channel);
  if (history) history->full = 1;
  expect(channel, 0, 0);
  mpipp_registry.forgotten++;
}

static int equals_item(uint64_t item, const uint64_t *words) {
  const uint64_t *other = (const uint64_t *)(uintptr_t)item;
  uint64_t count = words[0] >> 8 & 0xFFFFFF;
  return other[0] == words[0] && memcmp(other, words, count * sizeof *words) == 0;
}

// The distance to the last equal call, preferring one before which the same few calls were made.
// Returns 0 if none of the recent calls is equal.
static uint64_t period_of(struct mpipp_history *history, uint64_t ordinal, const uint64_t *words) {
  uint64_t known = ordinal - history->recent_from, best = 0, longest = 0;
  if (known > MPIPP_RECENT) known = MPIPP_RECENT;
  for (uint64_t period = 1; period <= known; period++) {
    if (!equals_item(*recent_item(history, ordinal - period), words)) continue;
    uint64_t alike = 1;
    while (alike < CONTEXT && period + alike <= known &&
           *recent_item(history, ordinal - alike) ==
               *recent_item(history, ordinal - period - alike))
      alike++;
    if (alike > longest) longest = alike, best = period;
  }
  return best;
}

static struct mpipp_history *begin(struct mpipp_comm *comm, struct mpipp_channel *channel) {
  struct mpipp_history *history = comm ? take(sizeof *history) : NULL;
  if (!history) return NULL;
  history->comm = (uint64_t)(uintptr_t)comm;
  history->recent_from = 1;
  // A message on the communicator may be compared after the communicator is freed, so its record is
  // kept.
  mpipp_registry_refer_locked(history->comm, comm->object.handle);
  MPIPP_WRITE(channel->history, (uint64_t)(uintptr_t)history);
  return history;
}

// Appends a call with this ordinal, as words. follows: 1 if the next call will have the next
// ordinal. Otherwise no run may begin here, not even for a moment: a reader would take the run to
// last up to the channel's count. The caller holds the lock.
static void append(struct mpipp_comm *comm, struct mpipp_channel *channel, uint64_t ordinal,
                   const uint64_t *words, int follows) {
  struct mpipp_history *history = history_of(channel);
  if (!history) history = begin(comm, channel);
  if (!history || history->full) return give_up(channel);
  mpipp_recorder_time_locked(channel->history, ordinal);
  close_run(channel, ordinal - 1);
  expect(channel, 0, 0); // no call is expected while the history changes
  if (history->position != ordinal - 1) {
    if (!write_word(history, MPIPP_ITEM_ORDINAL | ordinal << 8, KEPT_FOR_RUNS))
      return give_up(channel);
    history->position = ordinal - 1;
    history->recent_from = ordinal;
  }
  uint64_t period = follows ? period_of(history, ordinal, words) : 0;
  if (period) {
    if (!room(history, 0, KEPT_FOR_RUNS)) return give_up(channel);
    // This call is the first one of a run. The next call is expected to equal the one `period - 1`
    // before this.
    uint64_t next = period == 1 ? ordinal - 1 : ordinal + 1 - period;
    return expect(channel, *recent_item(history, next), (uint32_t)period);
  }
  uint64_t count = words[0] >> 8 & 0xFFFFFF;
  uint64_t *item = room(history, count, KEPT_FOR_RUNS);
  if (!item) return give_up(channel);
  memcpy(item, words, count * sizeof *item);
  add_words(history, count);
  history->position = ordinal;
  *recent_item(history, ordinal) = (uint64_t)(uintptr_t)item;
  if (follows) expect(channel, (uint64_t)(uintptr_t)item, 1);
}

void mpipp_recorder_note_gap_locked(struct mpipp_channel *channel) {
  MPIPP_WRITE(channel->gaps, 1);
  if (!history_of(channel)) return;
  close_run(channel, MPIPP_READ(channel->count));
  expect(channel, 0, 0);
}

// Notes a call. Returns whether it was the expected one.
static int note(struct mpipp_comm *comm, struct mpipp_channel *channel, uint64_t ordinal,
                const uint64_t *words) {
  if (!equals_item(channel->expected, words)) {
    append(comm, channel, ordinal, words, 1);
    return 0;
  }
  if (channel->period != 1) mpipp_recorder_note_advance(channel, ordinal);
  if (ordinal % MPIPP_TIMED == 0) mpipp_recorder_time_locked(channel->history, ordinal);
  return 1;
}

void mpipp_recorder_hold_channel(struct mpipp_channel *channel) {
  channel->resumes = channel->expected;
  MPIPP_WRITE(channel->expected, (uint64_t)(uintptr_t)mpipp_recorder_no_item);
  channel->certain = MPIPP_READ(channel->count);
  MPIPP_WRITE(channel->count, channel->certain | MPIPP_UNCERTAIN);
}

void mpipp_recorder_release_channel(struct mpipp_channel *channel) {
  MPIPP_WRITE(channel->expected, channel->resumes);
  MPIPP_WRITE(channel->count, channel->certain);
}

void mpipp_recorder_note_settled_call_locked(struct mpipp_comm *comm, struct mpipp_channel *channel,
                                             const uint64_t *words) {
  channel->expected = channel->resumes;
  note(comm, channel, channel->certain + 1, words);
  channel->resumes = channel->expected;
  MPIPP_WRITE(channel->expected, (uint64_t)(uintptr_t)mpipp_recorder_no_item);
  MPIPP_WRITE(channel->certain, channel->certain + 1);
}

void mpipp_recorder_note_locked(struct mpipp_comm *comm, struct mpipp_channel *channel,
                                const struct mpipp_call *call, uint64_t place,
                                const struct mpipp_buffer *buffer) {
  uint64_t count = MPIPP_READ(channel->count), words[MPIPP_MOST_WORDS];
  if (!mpipp_recorder_ledger_limit || count & MPIPP_UNCERTAIN) return;
  mpipp_recorder_words_locked(words, call, place, buffer);
  note(comm, channel, count + 1, words);
}

void mpipp_recorder_note_receive_locked(struct mpipp_comm *comm, struct mpipp_channel *channel,
                                        const struct mpipp_call *call, uint64_t place,
                                        uint64_t ordinal) {
  const struct mpipp_buffer *buffer = &call->buffers[0];
  uint64_t count = MPIPP_READ(channel->count), words[MPIPP_MOST_WORDS];
  if (!mpipp_recorder_ledger_limit || count & MPIPP_UNCERTAIN || ordinal > count) return;
  mpipp_recorder_words_locked(words, call, place, buffer);
  mpipp_recorder_note_gap_locked(channel);
  append(comm, channel, ordinal, words, ordinal == count);
}

void mpipp_recorder_note_slow(struct mpipp_channel *channel, const struct mpipp_call *call,
                              const struct mpipp_buffer *buffer) {
  uint64_t count = MPIPP_READ(channel->count), words[MPIPP_MOST_WORDS];
  if (count & MPIPP_UNCERTAIN) return;
  uint64_t place = mpipp_recorder_place(call), record = mpipp_equal_datatype(buffer->record);
  mpipp_recorder_fill_buffer_item(words, call, place, buffer, record);
  if (record && equals_item(MPIPP_READ(channel->expected), words)) {
    if (channel->period != 1) mpipp_recorder_note_advance(channel, count + 1);
    return;
  }
  mpipp_registry_lock();
  mpipp_recorder_note_locked(mpipp_find_live(MPIPP_COMM, call->comm), channel, call, place, buffer);
  mpipp_registry_unlock();
}

// Notes the call as the next one. Calls that were counted since the last noted one have failed.
static int note_next(struct mpipp_comm *comm, struct mpipp_channel *channel, uint64_t ordinal,
                     const uint64_t *words) {
  struct mpipp_history *history = history_of(channel);
  if (history && history->noted != ordinal - 1) {
    close_run(channel, history->noted);
    expect(channel, 0, 0);
  }
  int repeats = note(comm, channel, ordinal, words);
  history = history_of(channel);
  if (history) __atomic_store_n(&history->noted, ordinal, __ATOMIC_RELEASE);
  return repeats;
}

void mpipp_recorder_note_end_locked(struct mpipp_channel *channel) {
  struct mpipp_history *history = history_of(channel);
  MPIPP_WRITE(channel->gaps, 1);
  if (!history) return;
  close_run(channel, history->noted);
  expect(channel, 0, 0);
}

// ordinal: 0 for a call on a window or a file, which is always the next one.
static uint64_t note_collective(struct mpipp_comm *comm, struct mpipp_channel *channel,
                                const struct mpipp_call *call, uint64_t place, uint64_t ordinal) {
  uint64_t few[MPIPP_FEW_WORDS], *words = mpipp_recorder_collective_item(call, place, few);
  if (!words) return 0;
  uint64_t expected = channel->expected;
  int is_expected = ordinal ? note_next(comm, channel, ordinal, words)
                            : note(comm, channel, MPIPP_READ(channel->count) + 1, words);
  if (words != few) mpipp_registry_free(words);
  return is_expected ? expected : 0;
}

void mpipp_recorder_note_outcome_locked(struct mpipp_comm *comm, struct mpipp_channel *channel,
                                        const struct mpipp_call *call, uint64_t place) {
  const struct mpipp_history *history = history_of(channel);
  const uint64_t ordinal = call->ordinal;
  if (!mpipp_recorder_ledger_limit || !history || history->full || !ordinal ||
      ordinal > history->noted)
    return;
  uint64_t few[MPIPP_FEW_WORDS], *words = mpipp_recorder_collective_item(call, place, few);
  if (!words) return;
  mpipp_recorder_note_end_locked(channel);
  append(comm, channel, ordinal, words, 0);
  if (words != few) mpipp_registry_free(words);
}

uint64_t mpipp_recorder_note_collective_locked(struct mpipp_comm *comm,
                                               struct mpipp_channel *channel,
                                               const struct mpipp_call *call, uint64_t place) {
  if (!mpipp_recorder_ledger_limit || call->ordinal & MPIPP_UNCERTAIN) return 0;
  return note_collective(comm, channel, call, place, call->ordinal);
}

int mpipp_recorder_note_open_locked(struct mpipp_comm *comm, struct mpipp_channel *channel) {
  return mpipp_recorder_ledger_limit && begin(comm, channel) != NULL;
}

void mpipp_recorder_note_turn_locked(struct mpipp_comm *world, struct mpipp_channel *channel,
                                     uint64_t identity, uint64_t calls) {
  if (!mpipp_recorder_ledger_limit) return;
  uint64_t words[] = {0, 0, MPIPP_HAS_ROOT | MPIPP_HAS_TAG, identity, calls};
  words[0] = MPIPP_ITEM_HEAD(sizeof words / sizeof *words, 0, MPIPP_PROC_Barrier);
  note(world, channel, MPIPP_READ(channel->count) + 1, words);
}

void mpipp_recorder_note_step_locked(struct mpipp_comm *world, struct mpipp_channel *channel,
                                     unsigned procedure, uint64_t place,
                                     const uint64_t numbers[3]) {
  if (!mpipp_recorder_ledger_limit) return;
  const uint64_t present = MPIPP_HAS_ROOT | MPIPP_HAS_OP | MPIPP_HAS_TAG;
  uint64_t words[] = {0, place, present, numbers[0], numbers[1], numbers[2]};
  words[0] = MPIPP_ITEM_HEAD(sizeof words / sizeof *words, 0, procedure);
  note(world, channel, MPIPP_READ(channel->count) + 1, words);
}

void mpipp_recorder_note_object_call_locked(struct mpipp_channel *channel,
                                            const struct mpipp_call *call, uint64_t place) {
  note_collective(NULL, channel, call, place, 0);
}
