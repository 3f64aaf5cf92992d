// SPDX-License-Identifier: MIT
// The channels of a communicator, by the key of their calls. With the lock held.
#ifndef MPIPP_RECORDER_MATCHING_CHANNEL_TABLE_H
#define MPIPP_RECORDER_MATCHING_CHANNEL_TABLE_H

#include "registry/object_store.h"

static inline uint64_t mpipp_channel_key(int peer, int tag) {
  return (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag;
}

static inline uint64_t mpipp_channel_count(struct mpipp_channel *channel) {
  uint64_t count = MPIPP_READ(channel->count) + 1;
  MPIPP_WRITE(channel->count, count);
  return count;
}

// The channel of that sequence and key; a new one if there is none. NULL without memory, or if
// there are too many, as in a program that uses a new tag for every message. thread: its serial.
struct mpipp_channel *mpipp_recorder_channel_of(struct mpipp_comm *comm,
                                                enum mpipp_sequence sequence, uint64_t key,
                                                uint64_t thread);
// The channel of that sequence and key; NULL if there is none yet.
struct mpipp_channel *mpipp_recorder_find_channel(const struct mpipp_comm *comm,
                                                  enum mpipp_sequence sequence, uint64_t key);
uint64_t mpipp_recorder_channel_count(const struct mpipp_comm *comm);
// Frees the channels for other uses.
void mpipp_recorder_drop_channels(struct mpipp_comm *comm);

// Returns, or sets, that the ordinals of a sequence are meaningless.
int mpipp_recorder_is_uncertain(const struct mpipp_comm *comm, enum mpipp_sequence sequence);
void mpipp_recorder_set_uncertain(struct mpipp_comm *comm, enum mpipp_sequence sequence);
// Sets it for later calls only: the ordinals of earlier calls stay certain.
void mpipp_recorder_set_later_uncertain(struct mpipp_comm *comm, enum mpipp_sequence sequence);

// Returns whether threads may start operations concurrently, so that they have no order.
int mpipp_recorder_has_concurrent_threads(void);
// Set if calls may have been made unseen.
extern int mpipp_recorder_has_missed_calls MPIPP_HIDDEN;

#endif
