// SPDX-License-Identifier: MIT
#include "recorder/matching/wildcard_receives.h"

#include <stddef.h>
#include <string.h>

#include "recorder/ledger/ledger.h"
#include "recorder/matching/channel_table.h"
#include "recorder/threads/threads.h"

enum { MOST = 1024, MOST_PATTERNS = 16, FEW_CHANNELS = 64 };

struct mpipp_waiting {
  uint64_t any; // ordinal among the wildcard receives; 0: a receive of one channel
  int32_t source, tag;
  uint32_t known, blocking, over;
  uint64_t words[MPIPP_MOST_WORDS];
};

struct mpipp_wildcards {
  uint32_t first, end; // the entries in use are [first, end)
  uint64_t posted;     // number of receives posted since the receives were frozen
  struct mpipp_waiting all[MOST];
};

static struct mpipp_wildcards *wildcards_of(const struct mpipp_comm *comm) {
  return (void *)(uintptr_t)comm->late;
}

int mpipp_recorder_has_wildcards(const struct mpipp_comm *comm) {
  return comm->frozen && comm->late;
}

static struct mpipp_channel *next_of(const struct mpipp_channel *channel) {
  return (void *)(uintptr_t)channel->next;
}

static struct mpipp_channel *first_of(const struct mpipp_comm *comm) {
  return (void *)(uintptr_t)comm->channels;
}

void mpipp_recorder_wildcards_give_up(struct mpipp_comm *comm) {
  struct mpipp_wildcards *late = wildcards_of(comm);
  comm->late = 0;
  mpipp_registry_free(late);
}

static int freeze(struct mpipp_comm *comm) {
  struct mpipp_wildcards *late = wildcards_of(comm);
  if (!late) late = mpipp_registry_allocate(sizeof *late);
  comm->frozen = 1;
  for (struct mpipp_channel *c = first_of(comm); c; c = next_of(c)) {
    if (c->sequence == MPIPP_RECEIVES) mpipp_recorder_hold_channel(c);
  }
  comm->late = (uint64_t)(uintptr_t)late;
  if (late) late->first = late->end = 0, late->posted = 0;
  return late != NULL;
}

// All receives are known: ends the freeze, so that later ones are counted immediately. Ending the
// freeze visits all channels, so with many channels it is not done each time.
static void thaw(struct mpipp_comm *comm) {
  uint64_t channels = mpipp_recorder_channel_count(comm);
  if (channels > FEW_CHANNELS && wildcards_of(comm)->posted < channels) return;
  for (const struct mpipp_channel *c = first_of(comm); c; c = next_of(c)) {
    if (c->sequence == MPIPP_RECEIVES && (c->count & ~MPIPP_UNCERTAIN) != c->certain)
      return mpipp_recorder_wildcards_give_up(comm);
  }
  for (struct mpipp_channel *c = first_of(comm); c; c = next_of(c)) {
    if (c->sequence == MPIPP_RECEIVES) mpipp_recorder_release_channel(c);
  }
  comm->frozen = 0;
}

static const struct mpipp_buffer *receive_buffer(const struct mpipp_call *call) {
  return &call->buffers[call->buffer_count - 1];
}

static int may_take(const struct mpipp_waiting *one, int source, int tag) {
  return (one->source == source || one->source == MPI_ANY_SOURCE) &&
         (one->tag == tag || one->tag == MPI_ANY_TAG);
}

static struct mpipp_channel *receives_of(struct mpipp_comm *comm, int source, int tag) {
  uint64_t thread = MPIPP_READ(mpipp_recorder_self->serial);
  return mpipp_recorder_channel_of(comm, MPIPP_RECEIVES, mpipp_channel_key(source, tag), thread);
}

// Counts a receive in its channel. Returns 0 if there is no memory for the channel.
static int settle(struct mpipp_comm *comm, struct mpipp_waiting *one) {
  struct mpipp_channel *channel = receives_of(comm, one->source, one->tag);
  if (!channel) return 0;
  mpipp_recorder_note_settled_call_locked(comm, channel, one->words);
  one->over = 1;
  return 1;
}

static int is_same(const struct mpipp_waiting *one, const struct mpipp_waiting *other) {
  return one->source == other->source && one->tag == other->tag;
}

// Settles each receive whose channel cannot be changed by an earlier wildcard receive that is still
// unknown.
void mpipp_recorder_wildcards_settle(struct mpipp_comm *comm) {
  struct mpipp_wildcards *late = mpipp_recorder_has_wildcards(comm) ? wildcards_of(comm) : NULL;
  if (!late) return;
  const struct mpipp_waiting *open[MOST_PATTERNS];
  int patterns = 0;
  for (uint32_t i = late->first; i < late->end; i++) {
    struct mpipp_waiting *one = &late->all[i];
    int taken = one->over, pattern = 0;
    if (!taken && !one->known) {
      while (pattern < patterns && !is_same(open[pattern], one)) pattern++;
      if (pattern == MOST_PATTERNS) break;
      if (pattern == patterns) open[patterns++] = one;
      if (one->source == MPI_ANY_SOURCE && one->tag == MPI_ANY_TAG) break;
      taken = 1;
    }
    for (int p = 0; !taken && p < patterns; p++) taken = may_take(open[p], one->source, one->tag);
    if (!taken && !settle(comm, one)) return mpipp_recorder_wildcards_give_up(comm);
  }
  while (late->first < late->end && late->all[late->first].over) late->first++;
  if (late->first == late->end) thaw(comm);
}

// Space for one more receive; NULL if there are too many.
static struct mpipp_waiting *add(struct mpipp_comm *comm) {
  struct mpipp_wildcards *late = wildcards_of(comm);
  if (late->end == MOST) {
    uint32_t kept = 0;
    for (uint32_t i = late->first; i < late->end; i++) {
      if (!late->all[i].over) late->all[kept++] = late->all[i];
    }
    late->first = 0;
    late->end = kept;
  }
  if (late->end == MOST) return NULL;
  late->posted++;
  struct mpipp_waiting *one = &late->all[late->end++];
  memset(one, 0, offsetof(struct mpipp_waiting, words));
  return one;
}

int mpipp_recorder_wildcards_post(struct mpipp_comm *comm, const struct mpipp_call *noted,
                                  uint64_t place, uint64_t ordinal, int blocking) {
  if (!comm->frozen && !freeze(comm)) return 0;
  struct mpipp_waiting *one =
      mpipp_recorder_has_wildcards(comm) && noted && mpipp_recorder_ledger_limit ? add(comm) : NULL;
  if (!one) {
    mpipp_recorder_wildcards_give_up(comm);
    return 0;
  }
  one->any = ordinal;
  one->source = (int32_t)noted->source;
  one->tag = (int32_t)(noted->present & MPIPP_HAS_DEST ? noted->recvtag : noted->tag);
  one->blocking = (uint32_t)blocking;
  mpipp_recorder_words_locked(one->words, noted, place, receive_buffer(noted));
  return 1;
}

void mpipp_recorder_wildcards_post_receive(struct mpipp_comm *comm,
                                           const struct mpipp_channel *channel,
                                           const struct mpipp_call *noted, uint64_t place) {
  struct mpipp_waiting *one = noted ? add(comm) : NULL;
  if (!one) return mpipp_recorder_wildcards_give_up(comm);
  one->known = 1;
  one->source = (int32_t)channel->peer;
  one->tag = (int32_t)channel->tag;
  mpipp_recorder_words_locked(one->words, noted, place, receive_buffer(noted));
}

void mpipp_recorder_wildcards_match(struct mpipp_comm *comm, uint64_t ordinal, int source,
                                    int tag) {
  struct mpipp_wildcards *late = wildcards_of(comm);
  for (uint32_t i = late->first; i < late->end; i++) {
    struct mpipp_waiting *one = &late->all[i];
    if (one->known || !one->any || (ordinal ? one->any != ordinal : !one->blocking)) continue;
    struct mpipp_channel *channel = receives_of(comm, source, tag);
    if (!channel || source < 0 || tag < 0 || !may_take(one, source, tag)) break;
    // Raise this count before the channel's: the receive must never be in both.
    MPIPP_WRITE(comm->returned_any, comm->returned_any + 1);
    mpipp_channel_next_ordinal(channel);
    one->known = 1;
    one->source = source;
    one->tag = tag;
    return mpipp_recorder_wildcards_settle(comm);
  }
  mpipp_recorder_wildcards_give_up(comm);
}
