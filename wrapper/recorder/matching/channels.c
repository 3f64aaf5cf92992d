// SPDX-License-Identifier: MIT
#include "recorder/matching/channels.h"

#include "generated/facts.h"
#include "recorder/ledger/repeat_cache.h"
#include "recorder/matching/wildcard_receives.h"
#include "registry/registry.h"

void (*mpipp_recorder_wildcard_waits)(void);

void mpipp_recorder_distrust_channels(void) {
  mpipp_recorder_has_missed_calls = 1;
}

static struct mpipp_comm *comm_of(uint64_t handle) {
  return mpipp_find_live(MPIPP_COMM, handle);
}

static const struct mpipp_buffer *noted_buffer(const struct mpipp_call *call,
                                               enum mpipp_sequence sequence) {
  int sent = sequence == MPIPP_SENDS || sequence == MPIPP_PARTITIONED_SENDS ||
             sequence == MPIPP_STARTED_SENDS;
  return sent ? &call->buffers[0] : mpipp_receive_buffer(call);
}

uint64_t mpipp_recorder_count(const struct mpipp_call *call, enum mpipp_sequence sequence,
                              uint64_t comm, uint64_t key, const struct mpipp_call *noted) {
  struct mpipp_thread *thread = mpipp_thread_of(call);
  uint64_t ordinal = 0, place = noted ? mpipp_recorder_place(call) : 0;
  mpipp_registry_lock();
  struct mpipp_comm *record = comm_of(comm);
  struct mpipp_channel *channel =
      record && !mpipp_recorder_has_missed_calls
          ? mpipp_recorder_channel_of(record, sequence, key, MPIPP_READ(thread->serial))
          : NULL;
  if (channel) {
    int late = sequence == MPIPP_RECEIVES && mpipp_recorder_has_wildcards(record);
    if (late)
      mpipp_recorder_wildcards_post_receive(record, channel, noted, place);
    else if (noted)
      mpipp_recorder_note_locked(record, channel, noted, place, noted_buffer(noted, sequence));
    else if (sequence == MPIPP_RECEIVES)
      mpipp_recorder_note_gap_locked(channel);
    ordinal = mpipp_channel_next_ordinal(channel);
    if (late) mpipp_recorder_wildcards_settle(record);
    if (sequence < MPIPP_KEPT_SEQUENCES && !late) {
      unsigned slot = mpipp_channel_place((int)(key >> 32), (int)(uint32_t)key);
      thread->channels[sequence][slot] = (uint64_t)(uintptr_t)channel;
    }
  } else if (record) {
    mpipp_recorder_set_uncertain(record, sequence);
  }
  mpipp_registry_unlock();
  return ordinal;
}

uint64_t mpipp_recorder_send_slow(const struct mpipp_call *call, int dest, int tag) {
  return mpipp_recorder_count(call, MPIPP_SENDS, call->comm, mpipp_channel_key(dest, tag), call);
}

uint64_t mpipp_recorder_collective_ordinal_slow(const struct mpipp_call *call) {
  return mpipp_recorder_count(call, MPIPP_COLLECTIVES, call->comm, 0, NULL);
}

void mpipp_recorder_note_message(const struct mpipp_call *call) {
  uint64_t place = mpipp_recorder_place(call);
  mpipp_registry_lock();
  const struct mpipp_message *message = mpipp_find_live(MPIPP_MESSAGE, call->message);
  struct mpipp_comm *comm = message ? comm_of(message->comm) : NULL;
  uint64_t key = message ? mpipp_channel_key((int)message->source, (int)message->tag) : 0;
  struct mpipp_channel *channel =
      comm ? mpipp_recorder_find_channel(comm, MPIPP_RECEIVES, key) : NULL;
  if (channel && message->ordinal)
    mpipp_recorder_note_receive_locked(comm, channel, call, place, message->ordinal);
  mpipp_registry_unlock();
}

uint64_t mpipp_recorder_open_object_channel(const struct mpipp_call *call,
                                            enum mpipp_sequence sequence) {
  if (!call->ordinal || call->ordinal & MPIPP_UNCERTAIN) return 0;
  uint64_t thread = MPIPP_READ(mpipp_thread_of(call)->serial);
  mpipp_registry_lock();
  struct mpipp_comm *comm = comm_of(call->comm);
  struct mpipp_channel *channel = NULL;
  if (comm && !mpipp_recorder_is_uncertain(comm, MPIPP_COLLECTIVES))
    channel = mpipp_recorder_channel_of(comm, sequence, call->ordinal, thread);
  if (channel && !mpipp_recorder_note_open_locked(comm, channel)) channel = NULL;
  mpipp_registry_unlock();
  return (uint64_t)(uintptr_t)channel;
}

// The channel of the call's window or file; NULL if none is kept. The caller holds the lock.
static struct mpipp_channel *object_channel(const struct mpipp_call *call) {
  const struct mpipp_win *win =
      call->present & MPIPP_HAS_WIN ? mpipp_find_live(MPIPP_WIN, call->win) : NULL;
  const struct mpipp_file *file =
      call->present & MPIPP_HAS_FILE ? mpipp_find_live(MPIPP_FILE, call->file) : NULL;
  return (void *)(uintptr_t)(win ? win->channel : file ? file->channel : 0);
}

// Makes ordinals of later calls uncertain, but not of earlier ones. The caller holds the lock.
static void set_channel_uncertain(struct mpipp_channel *channel) {
  if (MPIPP_READ(channel->count) & MPIPP_UNCERTAIN) return;
  if (channel->sequence == MPIPP_COLLECTIVES)
    mpipp_recorder_note_end_locked(channel);
  else
    mpipp_recorder_note_gap_locked(channel);
  channel->certain = MPIPP_READ(channel->count);
  MPIPP_WRITE(channel->count, channel->certain | MPIPP_UNCERTAIN);
}

// Marks a blocking call on a window or file as counted in its channel. The call has no ordinal of
// its own.
static void set_counted(const struct mpipp_call *call) {
  struct mpipp_call *own = &mpipp_thread_of(call)->call;
  own->recv_ordinal = 0;
  __atomic_store_n(&own->present, own->present | MPIPP_HAS_RECV_ORDINAL, __ATOMIC_RELEASE);
}

// Sets the ordinal in the call's record. The request that the call creates gets a copy of it.
static void set_ordinal(const struct mpipp_call *call, uint64_t ordinal) {
  struct mpipp_call *own = &mpipp_thread_of(call)->call;
  own->ordinal = ordinal;
  __atomic_store_n(&own->present, own->present | MPIPP_HAS_ORDINAL, __ATOMIC_RELEASE);
}

static void note_on_object(const struct mpipp_call *call, const struct mpipp_call *noted) {
  uint64_t place = mpipp_recorder_place(call), thread = MPIPP_READ(mpipp_thread_of(call)->serial);
  mpipp_registry_lock();
  struct mpipp_channel *channel = object_channel(call);
  if (channel && mpipp_recorder_has_concurrent_threads() && channel->thread != thread)
    set_channel_uncertain(channel);
  if (channel && !(MPIPP_READ(channel->count) & MPIPP_UNCERTAIN)) {
    mpipp_recorder_note_object_call_locked(channel, noted, place);
    if (mpipp_facts[call->procedure].form == MPIPP_FORM_NONBLOCKING)
      set_ordinal(call, MPIPP_READ(channel->count) + 1);
    else
      set_counted(call); // before the channel's count is raised: readers compare the two
    mpipp_channel_next_ordinal(channel);
  }
  mpipp_registry_unlock();
}

void mpipp_recorder_note_object_call(const struct mpipp_call *call) {
  note_on_object(call, call);
}

void mpipp_recorder_note_refused_object_call(const struct mpipp_call *call,
                                             const struct mpipp_call *noted) {
  if (noted) note_on_object(call, noted);
  mpipp_registry_lock();
  struct mpipp_channel *channel = object_channel(call);
  if (channel) set_channel_uncertain(channel);
  mpipp_registry_unlock();
}

// The current stretch of collective calls on one communicator: the communicator's identity, and the
// stretch's last call.
static struct {
  const struct mpipp_channel *channel; // NULL: the channel is used by another communicator now
  uint64_t identity, calls;
} turn;

// Ends the stretch, because the next call is on another communicator. The caller holds the lock.
static void change_turns(const struct mpipp_call *call, const struct mpipp_comm *comm,
                         const struct mpipp_channel *channel) {
  struct mpipp_comm *world = comm_of(MPIPP_KEY(MPI_COMM_WORLD));
  uint64_t thread = MPIPP_READ(mpipp_thread_of(call)->serial);
  struct mpipp_channel *turns =
      world ? mpipp_recorder_channel_of(world, MPIPP_TURNS, 0, thread) : NULL;
  if (turns && turn.calls) {
    mpipp_recorder_note_turn_locked(world, turns, turn.identity, turn.calls);
    mpipp_channel_next_ordinal(turns);
  }
  turn.channel = channel;
  turn.identity = comm->identity;
  turn.calls = 0;
}

static int repeats_last(const struct mpipp_call *call) {
  struct mpipp_channel *channel = mpipp_last_channel(call, MPIPP_COLLECTIVES, 0, 0);
  if (MPIPP_READ(mpipp_registry_several_threads) || !mpipp_is_channel(channel, call, 0, 0))
    return 0;
  if ((mpipp_registry_is_shared && turn.channel != channel) ||
      !mpipp_recorder_note_repetition(channel, call))
    return 0;
  turn.calls++;
  return 1;
}

static void note_collective(const struct mpipp_call *call, const struct mpipp_call *noted) {
  uint64_t place = mpipp_recorder_place(call);
  mpipp_registry_lock();
  struct mpipp_comm *comm = comm_of(call->comm);
  struct mpipp_channel *channel =
      comm ? mpipp_recorder_find_channel(comm, MPIPP_COLLECTIVES, 0) : NULL;
  if (channel) {
    uint64_t like = mpipp_recorder_note_collective_locked(comm, channel, noted, place);
    if (like && noted == call && !MPIPP_READ(mpipp_registry_several_threads))
      mpipp_recorder_remember_collective(channel, like, call, place);
    if (MPIPP_UNLIKELY(turn.channel != channel) && mpipp_registry_is_shared)
      change_turns(call, comm, channel);
    turn.calls++;
  }
  mpipp_registry_unlock();
}

void mpipp_recorder_note_collective(const struct mpipp_call *call) {
  if (call->ordinal && !repeats_last(call)) note_collective(call, call);
}

void mpipp_recorder_note_refusal(const struct mpipp_call *call, const struct mpipp_call *noted) {
  if (call->ordinal) note_collective(call, noted);
}

void mpipp_recorder_note_outcome(const struct mpipp_call *made, uint64_t place) {
  mpipp_registry_lock();
  struct mpipp_comm *comm = comm_of(made->comm);
  struct mpipp_channel *channel =
      comm ? mpipp_recorder_find_channel(comm, MPIPP_COLLECTIVES, 0) : NULL;
  if (channel) mpipp_recorder_note_outcome_locked(comm, channel, made, place);
  mpipp_registry_unlock();
}

void mpipp_recorder_end_collectives(const struct mpipp_call *call) {
  mpipp_registry_lock();
  struct mpipp_comm *comm = call->present & MPIPP_HAS_ORDINAL ? comm_of(call->comm) : NULL;
  struct mpipp_channel *channel =
      comm ? mpipp_recorder_find_channel(comm, MPIPP_COLLECTIVES, 0) : NULL;
  if (channel) {
    set_channel_uncertain(channel);
    mpipp_recorder_set_later_uncertain(comm, MPIPP_COLLECTIVES);
  }
  mpipp_registry_unlock();
}

// Returns whether several threads have called MPI, and not only may do so.
static int are_threads_concurrent(void) {
  return mpipp_recorder_has_concurrent_threads() && MPIPP_READ(mpipp_registry_several_threads);
}

// Makes ordinals of later receives on the communicator uncertain; the present counts are kept.
static void freeze(struct mpipp_comm *comm) {
  mpipp_recorder_wildcards_give_up(comm);
  mpipp_recorder_set_uncertain(comm, MPIPP_RECEIVES);
  if (comm->frozen) return;
  comm->frozen = 1;
  for (uint64_t next = comm->channels; next;) {
    struct mpipp_channel *channel = (void *)(uintptr_t)next;
    next = channel->next;
    if (channel->sequence != MPIPP_RECEIVES) continue;
    channel->certain = MPIPP_READ(channel->count);
    MPIPP_WRITE(channel->count, channel->certain | MPIPP_UNCERTAIN);
  }
}

// Clears a thread's cache of the channels that it used last. A channel must leave it when it is
// reused, since the new sequence may have the same key. The channel must also leave the cache while
// receives wait in it (wildcard_receives.h).
static void forget_cache(struct mpipp_thread *thread) {
  for (int sequence = 0; sequence < MPIPP_KEPT_SEQUENCES; sequence++) {
    for (int i = 0; i < MPIPP_LAST_CHANNELS; i++) {
      uint64_t *last = &thread->channels[sequence][i];
      const struct mpipp_channel *channel = (void *)(uintptr_t)MPIPP_READ(*last);
      if (!MPIPP_READ(channel->comm) || MPIPP_READ(channel->count) & MPIPP_UNCERTAIN)
        MPIPP_WRITE(*last, (uint64_t)(uintptr_t)&mpipp_recorder_no_channel);
    }
  }
}

static void forget_all_caches(void) {
  struct mpipp_thread *thread = NULL;
  while ((thread = mpipp_recorder_next_thread(NULL, thread))) forget_cache(thread);
}

// Counts a receive with MPI_ANY_SOURCE or MPI_ANY_TAG.
static uint64_t post_wildcard(const struct mpipp_call *call, uint64_t handle, int blocking,
                              const struct mpipp_call *noted) {
  uint64_t ordinal = 0, place = noted ? mpipp_recorder_place(call) : 0;
  int waits = 0;
  mpipp_registry_lock();
  struct mpipp_comm *comm = comm_of(handle);
  if (comm && !mpipp_recorder_has_missed_calls) {
    ordinal = ++comm->posted_any | (comm->frozen ? MPIPP_UNCERTAIN : 0);
    if (are_threads_concurrent()) {
      freeze(comm);
    } else if (!blocking || mpipp_recorder_has_wildcards(comm)) {
      int waited = mpipp_recorder_has_wildcards(comm);
      waits = mpipp_recorder_wildcards_post(comm, noted, place, comm->posted_any, blocking);
      if (waits && !waited) forget_all_caches();
    }
  }
  mpipp_registry_unlock();
  if (waits && !blocking) mpipp_recorder_wildcard_waits();
  return ordinal;
}

void mpipp_recorder_complete_wildcard(const struct mpipp_call *call, const MPI_Status *status) {
  const uint64_t ordinal = call->ordinal & ~MPIPP_UNCERTAIN;
  mpipp_registry_lock();
  struct mpipp_comm *comm = ordinal ? comm_of(call->comm) : NULL;
  if (comm && mpipp_recorder_has_wildcards(comm)) {
    if (status)
      mpipp_recorder_wildcards_match(comm, ordinal, status->MPI_SOURCE, status->MPI_TAG);
    else
      mpipp_recorder_wildcards_give_up(comm);
  }
  mpipp_registry_unlock();
}

static uint64_t post_receive(const struct mpipp_call *call, uint64_t comm, int source, int tag,
                             int blocking, const struct mpipp_call *noted) {
  if (mpipp_is_wildcard(source, tag) && source != MPI_PROC_NULL)
    return post_wildcard(call, comm, blocking, noted);
  return mpipp_recorder_count(call, MPIPP_RECEIVES, comm, mpipp_channel_key(source, tag), noted);
}

uint64_t mpipp_recorder_post_slow(const struct mpipp_call *call, int source, int tag,
                                  int blocking) {
  return post_receive(call, call->comm, source, tag, blocking, call);
}

void mpipp_recorder_receive_wildcard(const struct mpipp_call *call, const MPI_Status *status) {
  int source = status->MPI_SOURCE, tag = status->MPI_TAG;
  if (source == MPI_PROC_NULL) return;
  if (source == MPI_ANY_SOURCE)
    return mpipp_recorder_distrust_comm(call); // mpipp cannot know which message was received
  mpipp_registry_lock();
  struct mpipp_comm *comm = comm_of(call->comm);
  int late = comm && mpipp_recorder_has_wildcards(comm);
  if (late) mpipp_recorder_wildcards_match(comm, 0, source, tag);
  // Raise this count before the channel's: the receive must never be in both.
  if (comm && !late) MPIPP_WRITE(comm->returned_any, comm->returned_any + 1);
  mpipp_registry_unlock();
  if (late) return;
  mpipp_recorder_count(call, MPIPP_RECEIVES, call->comm, mpipp_channel_key(source, tag), call);
}

void mpipp_recorder_abandon_receive(uint64_t handle) {
  mpipp_registry_lock();
  struct mpipp_comm *comm = comm_of(handle);
  if (comm) MPIPP_WRITE(comm->abandoned, comm->abandoned + 1);
  mpipp_registry_unlock();
}

uint64_t mpipp_recorder_match_probe(const struct mpipp_call *call, int source, int tag) {
  uint64_t ordinal = post_receive(call, call->comm, source, tag, 0, NULL);
  return mpipp_is_wildcard(source, tag) ? 0 : ordinal;
}

uint64_t mpipp_recorder_start_ordinal(const struct mpipp_call *call,
                                      const struct mpipp_call *made) {
  int tag = (int)made->tag;
  if (!(made->present & MPIPP_HAS_DEST))
    return post_receive(call, made->comm, (int)made->source, tag, 0, made);
  return mpipp_recorder_count(call, MPIPP_SENDS, made->comm,
                              mpipp_channel_key((int)made->dest, tag), made);
}

static enum mpipp_sequence start_sequence(const struct mpipp_call *made) {
  return made->present & MPIPP_HAS_DEST ? MPIPP_STARTED_SENDS : MPIPP_STARTED_RECEIVES;
}

static uint64_t start_key(const struct mpipp_call *made) {
  const int sends = (made->present & MPIPP_HAS_DEST) != 0;
  return mpipp_channel_key((int)(sends ? made->dest : made->source), (int)made->tag);
}

void mpipp_recorder_start_partitioned(const struct mpipp_call *call,
                                      const struct mpipp_call *made) {
  mpipp_recorder_count(call, start_sequence(made), made->comm, start_key(made), made);
}

// The caller holds the lock.
static void for_all_comms(void (*change)(struct mpipp_comm *comm)) {
  const struct mpipp_table *table = mpipp_registry_stores[MPIPP_COMM].table;
  for (struct mpipp_chunk *chunk = table ? (void *)(uintptr_t)table->chunks : NULL; chunk;
       chunk = (void *)(uintptr_t)chunk->next) {
    struct mpipp_comm *comms = (void *)(chunk + 1);
    for (uint64_t i = 0; i < MPIPP_READ(chunk->used); i++) change(&comms[i]);
  }
}

// A process inside a wildcard receive counts it only when it returns, so later ones are not
// certain.
static void freeze_wildcards(struct mpipp_comm *comm) {
  if (comm->posted_any) freeze(comm);
}

void mpipp_recorder_note_concurrency(void) {
  mpipp_registry_lock();
  if (are_threads_concurrent()) for_all_comms(freeze_wildcards);
  mpipp_registry_unlock();
}

static void set_sequences_uncertain(struct mpipp_comm *comm) {
  for (int sequence = 0; sequence < MPIPP_SEQUENCES; sequence++)
    mpipp_recorder_set_uncertain(comm, (enum mpipp_sequence)sequence);
}

void mpipp_recorder_distrust_ordinals(void) {
  mpipp_registry_lock();
  for_all_comms(set_sequences_uncertain);
  struct mpipp_comm *none = (void *)(uintptr_t)mpipp_registry.apart;
  if (none) set_sequences_uncertain(none);
  mpipp_recorder_distrust_channels();
  mpipp_registry_unlock();
}

// Takes back an ordinal, if it is still the last one. The caller holds the lock.
static void take_back(struct mpipp_comm *comm, enum mpipp_sequence sequence, uint64_t key,
                      uint64_t ordinal) {
  struct mpipp_channel *channel = mpipp_recorder_find_channel(comm, sequence, key);
  if (channel) mpipp_recorder_note_gap_locked(channel);
  if (channel && MPIPP_READ(channel->count) == ordinal)
    MPIPP_WRITE(channel->count, ordinal - 1);
  else
    mpipp_recorder_set_uncertain(comm, sequence);
}

void mpipp_recorder_undo_partitioned_start(const struct mpipp_call *made) {
  mpipp_registry_lock();
  struct mpipp_comm *comm = comm_of(made->comm);
  struct mpipp_channel *channel =
      comm ? mpipp_recorder_find_channel(comm, start_sequence(made), start_key(made)) : NULL;
  if (channel) take_back(comm, start_sequence(made), start_key(made), MPIPP_READ(channel->count));
  mpipp_registry_unlock();
}

void mpipp_recorder_uncount(struct mpipp_call *call) {
  const uint32_t counted = call->present & (MPIPP_HAS_ORDINAL | MPIPP_HAS_RECV_ORDINAL);
  const int partitioned = mpipp_facts[call->procedure].form == MPIPP_FORM_PARTITIONED;
  const int sends = call->present & MPIPP_HAS_DEST, receives = call->present & MPIPP_HAS_SOURCE;
  const int tag = (int)(sends && receives ? call->recvtag : call->tag);
  const uint64_t received = sends ? call->recv_ordinal : call->ordinal;
  const int any = mpipp_is_wildcard((int)call->source, tag) && call->source != MPI_PROC_NULL;
  mpipp_registry_lock();
  struct mpipp_comm *comm = counted ? comm_of(call->comm) : NULL;
  if (comm && receives && mpipp_recorder_has_wildcards(comm))
    mpipp_recorder_wildcards_give_up(comm);
  if (comm && sends && call->ordinal)
    take_back(comm, partitioned ? MPIPP_PARTITIONED_SENDS : MPIPP_SENDS,
              mpipp_channel_key((int)call->dest, (int)call->tag), call->ordinal);
  if (comm && receives && any && received)
    comm->posted_any--;
  else if (comm && receives && received)
    take_back(comm, partitioned ? MPIPP_PARTITIONED_RECEIVES : MPIPP_RECEIVES,
              mpipp_channel_key((int)call->source, tag), received);
  if (comm && !sends && !receives && call->ordinal)
    take_back(comm, MPIPP_COLLECTIVES, 0, call->ordinal);
  mpipp_registry_unlock();
  call->present = (call->present & ~counted) | MPIPP_HAS_DROPPED;
}

void mpipp_recorder_distrust_comm(const struct mpipp_call *call) {
  if (!(call->present & (MPIPP_HAS_ORDINAL | MPIPP_HAS_RECV_ORDINAL))) return; // not counted
  struct mpipp_comm *comm = call->present & MPIPP_HAS_COMM ? comm_of(call->comm) : NULL;
  if (!comm) return;
  if (call->present & (MPIPP_HAS_DEST | MPIPP_HAS_SOURCE)) {
    mpipp_recorder_set_uncertain(comm, MPIPP_SENDS);
    mpipp_recorder_set_uncertain(comm, MPIPP_RECEIVES);
    mpipp_recorder_set_uncertain(comm, MPIPP_PARTITIONED_SENDS);
    mpipp_recorder_set_uncertain(comm, MPIPP_PARTITIONED_RECEIVES);
    mpipp_recorder_set_uncertain(comm, MPIPP_STARTED_SENDS);
    mpipp_recorder_set_uncertain(comm, MPIPP_STARTED_RECEIVES);
  } else {
    mpipp_recorder_set_uncertain(comm, MPIPP_COLLECTIVES);
  }
}

void mpipp_recorder_close_channels(uint64_t handle) {
  mpipp_registry_lock();
  const struct mpipp_comm *comm = mpipp_registry_find_locked(MPIPP_COMM, handle);
  for (uint64_t next = comm ? comm->channels : 0; next;) {
    struct mpipp_channel *channel = (void *)(uintptr_t)next;
    next = channel->next;
    MPIPP_WRITE(channel->comm, MPIPP_CLOSED);
  }
  mpipp_registry_unlock();
}

void mpipp_recorder_note_early_free(uint64_t handle, int starts) {
  if (!starts && !mpipp_recorder_has_concurrent_threads()) return;
  mpipp_registry_lock();
  struct mpipp_comm *comm = mpipp_registry_find_locked(MPIPP_COMM, handle);
  if (comm) {
    mpipp_recorder_set_uncertain(comm, MPIPP_SENDS);
    mpipp_recorder_set_uncertain(comm, MPIPP_RECEIVES);
    mpipp_recorder_set_uncertain(comm, MPIPP_STARTED_SENDS);
    mpipp_recorder_set_uncertain(comm, MPIPP_STARTED_RECEIVES);
  }
  mpipp_registry_unlock();
}

void mpipp_recorder_forget_channels(struct mpipp_comm *comm) {
  if (turn.identity == comm->identity) turn.channel = NULL;
  mpipp_recorder_drop_channels(comm);
  mpipp_recorder_wildcards_give_up(comm);
  forget_all_caches();
}
