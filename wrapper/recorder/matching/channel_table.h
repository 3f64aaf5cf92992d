// SPDX-License-Identifier: MIT
// The channels of a communicator, by what is counted there. With the lock held.
#ifndef MPIPP_RECORDER_MATCHING_CHANNEL_TABLE_H
#define MPIPP_RECORDER_MATCHING_CHANNEL_TABLE_H

#include "registry/object_store.h"

static inline uint64_t mpipp_channel_key(int peer, int tag) {
  return (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag;
}

static inline uint64_t mpipp_counted(struct mpipp_channel *channel) {
  uint64_t count = MPIPP_READ(channel->count) + 1;
  MPIPP_WRITE(channel->count, count);
  return count;
}

// The channel of that sequence and key, a new one if need be. NULL: no memory, or too many, as in a
// program that gives every message a tag of its own. thread: its serial.
struct mpipp_channel *mpipp_recorder_channel_of(struct mpipp_comm *comm,
                                                enum mpipp_sequence sequence, uint64_t key,
                                                uint64_t thread);
// The same, NULL if there is none yet.
struct mpipp_channel *mpipp_recorder_channel_known(const struct mpipp_comm *comm,
                                                   enum mpipp_sequence sequence, uint64_t key);
uint64_t mpipp_recorder_channel_count(const struct mpipp_comm *comm);
// They are used for others.
void mpipp_recorder_drop_channels(struct mpipp_comm *comm);

// Whether ordinals tell nothing, and that they do not from now on.
int mpipp_recorder_is_uncertain(const struct mpipp_comm *comm, enum mpipp_sequence sequence);
void mpipp_recorder_set_uncertain(struct mpipp_comm *comm, enum mpipp_sequence sequence);
// The same of what comes now: what channels say of the calls so far stays certain.
void mpipp_recorder_set_uncertain_on(struct mpipp_comm *comm, enum mpipp_sequence sequence);

// Whether threads may start operations side by side, which gives them no order.
int mpipp_recorder_is_unordered(void);
// Whether calls may have been made unseen.
extern int mpipp_recorder_seen_late MPIPP_HIDDEN;

#endif
