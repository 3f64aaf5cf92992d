// SPDX-License-Identifier: MIT
#include "recorder/matching/channel_table.h"

#include <string.h>

#include "recorder/ledger/ledger.h"
#include "registry/registry.h"

enum { CHANNELS_AT_ONCE = 64, FIRST_SLOTS = 16, MAX_CHANNELS = 1 << 14 };

// A hash table of a communicator's channels. Only slow paths use it, with the store's lock.
struct mpipp_channels {
  uint64_t mask, used;
  struct mpipp_channel *slots[];
};

static struct mpipp_channel *unused;

int mpipp_recorder_has_missed_calls = 0;

int mpipp_recorder_has_concurrent_threads(void) {
  return MPIPP_READ(mpipp_registry.several_threads) != 0;
}

static uint64_t mix(uint64_t first, uint64_t second) {
  uint64_t hash = (first ^ (second + 0x9E3779B97F4A7C15u)) * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ hash >> 30) * 0x94D049BB133111EBu;
  return hash ^ hash >> 31;
}

static struct mpipp_channel *new_channel(void) {
  if (!unused) {
    struct mpipp_channel *channels = mpipp_registry_map(CHANNELS_AT_ONCE * sizeof *channels);
    for (int i = 0; channels && i < CHANNELS_AT_ONCE; i++) {
      channels[i].next = (uint64_t)(uintptr_t)unused;
      unused = &channels[i];
    }
  }
  struct mpipp_channel *channel = unused;
  if (channel) unused = (void *)(uintptr_t)channel->next;
  return channel;
}

static struct mpipp_channel **slot_of(struct mpipp_channels *table, enum mpipp_sequence sequence,
                                      uint64_t key) {
  for (uint64_t i = mix(key, sequence);; i++) {
    struct mpipp_channel **slot = &table->slots[i & table->mask];
    if (!*slot || ((*slot)->key == key && (*slot)->sequence == sequence)) return slot;
  }
}

// Makes space for one more channel. Returns 0 without memory.
static int make_room(struct mpipp_comm *comm, enum mpipp_sequence sequence) {
  struct mpipp_channels *old = (void *)(uintptr_t)comm->channel_table;
  if (old && old->used >= MAX_CHANNELS && sequence <= MPIPP_RECEIVES) return 0;
  if (old && (old->used + 1) * 4 <= (old->mask + 1) * 3) return 1;
  uint64_t capacity = old ? 2 * (old->mask + 1) : FIRST_SLOTS;
  uint64_t bytes = sizeof *old + capacity * sizeof *old->slots;
  struct mpipp_channels *table = mpipp_registry_allocate(bytes);
  if (!table) return 0;
  memset(table, 0, bytes);
  table->mask = capacity - 1;
  for (uint64_t i = 0; old && i <= old->mask; i++) {
    struct mpipp_channel *channel = old->slots[i];
    if (channel) *slot_of(table, channel->sequence, channel->key) = channel;
  }
  table->used = old ? old->used : 0;
  mpipp_registry_free(old);
  comm->channel_table = (uint64_t)(uintptr_t)table;
  return 1;
}

int mpipp_recorder_is_uncertain(const struct mpipp_comm *comm, enum mpipp_sequence sequence) {
  return mpipp_recorder_has_missed_calls || (MPIPP_READ(comm->uncertain) >> sequence & 1) != 0;
}

void mpipp_recorder_set_uncertain(struct mpipp_comm *comm, enum mpipp_sequence sequence) {
  __atomic_or_fetch(&comm->uncertain_all, 1u << sequence, __ATOMIC_RELAXED);
  __atomic_or_fetch(&comm->uncertain, 1u << sequence, __ATOMIC_RELEASE);
}

void mpipp_recorder_set_later_uncertain(struct mpipp_comm *comm, enum mpipp_sequence sequence) {
  __atomic_or_fetch(&comm->uncertain, 1u << sequence, __ATOMIC_RELEASE);
}

// Marks a channel as shared by threads that start operations concurrently, so that these have no
// order.
static void set_shared(struct mpipp_comm *comm, struct mpipp_channel *channel) {
  MPIPP_WRITE(channel->shared, 1);
  mpipp_recorder_set_later_uncertain(comm, channel->sequence);
}

static struct mpipp_channel *add_channel(struct mpipp_comm *comm, enum mpipp_sequence sequence,
                                         uint64_t key, uint64_t thread) {
  struct mpipp_channel *channel = make_room(comm, sequence) ? new_channel() : NULL;
  if (!channel) return NULL;
  int frozen = sequence == MPIPP_RECEIVES && comm->frozen;
  MPIPP_WRITE(channel->key, key);
  MPIPP_WRITE(channel->count, frozen ? MPIPP_UNCERTAIN : 0);
  channel->certain = 0;
  channel->sequence = sequence;
  channel->thread = thread;
  channel->history = 0;
  channel->period = 0;
  channel->shared = channel->gaps = 0;
  channel->resumes = (uint64_t)(uintptr_t)mpipp_recorder_no_item;
  MPIPP_WRITE(channel->expected, (uint64_t)(uintptr_t)mpipp_recorder_no_item);
  MPIPP_WRITE(channel->comm, comm->object.handle);
  channel->next = comm->channels;
  __atomic_store_n(&comm->channels, (uint64_t)(uintptr_t)channel, __ATOMIC_RELEASE);
  struct mpipp_channels *table = (void *)(uintptr_t)comm->channel_table;
  *slot_of(table, sequence, key) = channel;
  table->used++;
  return channel;
}

struct mpipp_channel *mpipp_recorder_channel_of(struct mpipp_comm *comm,
                                                enum mpipp_sequence sequence, uint64_t key,
                                                uint64_t thread) {
  struct mpipp_channel *channel = mpipp_recorder_find_channel(comm, sequence, key);
  if (!channel) return add_channel(comm, sequence, key, thread);
  if (mpipp_recorder_has_concurrent_threads() && channel->thread != thread)
    set_shared(comm, channel);
  return channel;
}

struct mpipp_channel *mpipp_recorder_find_channel(const struct mpipp_comm *comm,
                                                  enum mpipp_sequence sequence, uint64_t key) {
  struct mpipp_channels *table = (void *)(uintptr_t)comm->channel_table;
  return table ? *slot_of(table, sequence, key) : NULL;
}

uint64_t mpipp_recorder_channel_count(const struct mpipp_comm *comm) {
  const struct mpipp_channels *table = (const void *)(uintptr_t)comm->channel_table;
  return table ? table->used : 0;
}

void mpipp_recorder_drop_channels(struct mpipp_comm *comm) {
  for (uint64_t next = comm->channels; next;) {
    struct mpipp_channel *channel = (void *)(uintptr_t)next;
    next = channel->next;
    MPIPP_WRITE(channel->comm, 0);
    channel->next = (uint64_t)(uintptr_t)unused;
    unused = channel;
  }
  comm->channels = 0;
  mpipp_registry_release(&comm->channel_table);
}
