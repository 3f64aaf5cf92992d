// SPDX-License-Identifier: MIT
// The channels of a communicator, found by the sequence and the key of their calls. The caller
// holds the lock.
#ifndef MPIPP_RECORDER_MATCHING_CHANNEL_TABLE_H
#define MPIPP_RECORDER_MATCHING_CHANNEL_TABLE_H

#include "registry/object_store.h"

static inline uint64_t mpipp_channel_key(int peer, int tag) {
  return (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag;
}

static inline uint64_t mpipp_channel_next_ordinal(struct mpipp_channel *channel) {
  uint64_t count = MPIPP_READ(channel->count) + 1;
  MPIPP_WRITE(channel->count, count);
  return count;
}

// The channel with that sequence and key; creates it if there is none. Returns NULL without memory,
// or if there are too many, for example in a program that uses a new tag for every message. thread:
// serial of the thread.
struct mpipp_channel *mpipp_recorder_channel_of(struct mpipp_comm *comm,
                                                enum mpipp_sequence sequence, uint64_t key,
                                                uint64_t thread);
// The channel with that sequence and key; NULL if there is none.
struct mpipp_channel *mpipp_recorder_find_channel(const struct mpipp_comm *comm,
                                                  enum mpipp_sequence sequence, uint64_t key);
uint64_t mpipp_recorder_channel_count(const struct mpipp_comm *comm);
// Frees all channels of the communicator, so that others can use their records.
void mpipp_recorder_drop_channels(struct mpipp_comm *comm);

// Return whether the ordinals of a sequence are not certain; and make all of them uncertain.
int mpipp_recorder_is_uncertain(const struct mpipp_comm *comm, enum mpipp_sequence sequence);
void mpipp_recorder_set_uncertain(struct mpipp_comm *comm, enum mpipp_sequence sequence);
// Makes later ordinals uncertain, but leaves those of earlier calls certain.
void mpipp_recorder_set_later_uncertain(struct mpipp_comm *comm, enum mpipp_sequence sequence);

// Returns whether threads may start operations concurrently, so that these have no order.
int mpipp_recorder_has_concurrent_threads(void);
// 1 if calls may have been made unseen.
extern int mpipp_recorder_has_missed_calls MPIPP_HIDDEN;

#endif
