// SPDX-License-Identifier: MIT
#include "recorder/matching/comm_identity.h"

#include <string.h>

#include "abi/vendor.h"
#include "generated/facts.h"
#include "recorder/matching/channels.h"
#include "registry/allocator.h"
#include "registry/registry.h"
#include "registry/shared_arena.h"

static uint64_t mix(uint64_t first, uint64_t second) {
  uint64_t hash = (first ^ (second + 0x9E3779B97F4A7C15u)) * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ hash >> 30) * 0x94D049BB133111EBu;
  return hash ^ hash >> 31;
}

static uint64_t members_of(uint64_t world_ranks, int size) {
  const int32_t *ranks = (const int32_t *)(uintptr_t)world_ranks;
  uint64_t hash = (uint64_t)size;
  for (int i = 0; i < size; i++) hash = mix(hash, ranks ? (uint64_t)ranks[i] : (uint64_t)i);
  return hash;
}

static struct mpipp_comm *comm_of(uint64_t handle) {
  return mpipp_find_live(MPIPP_COMM, handle);
}

void mpipp_recorder_lead(const struct mpipp_call *call, int local_leader, uint64_t peer_comm,
                         int remote_leader) {
  const struct mpipp_comm *own = comm_of(call->comm);
  if (!own || own->rank != local_leader) return;
  uint64_t key = mpipp_channel_key(remote_leader, (int)call->tag);
  mpipp_recorder_count(call, MPIPP_LEADERS, peer_comm, key, NULL);
}

static int fold(uint64_t hash) {
  return (int)(hash ^ hash >> 32);
}

void mpipp_recorder_gather(const struct mpipp_call *call, uint64_t handle) {
  const struct mpipp_group *group = mpipp_find_live(MPIPP_GROUP, handle);
  if (!group || !group->world_known)
    return mpipp_recorder_fail_gather(call->comm, MPIPP_GROUP_CALLS);
  uint64_t members = members_of(group->world_ranks, group->size);
  uint64_t key = mpipp_channel_key(fold(members), (int)call->tag);
  mpipp_recorder_count(call, MPIPP_GROUP_CALLS, call->comm, key, NULL);
}

// A record that stands for the missing communicator of calls without one. The caller holds the
// lock.
static struct mpipp_comm *no_comm_record(void) {
  struct mpipp_comm *record = (void *)(uintptr_t)mpipp_registry.apart;
  if (record) return record;
  record = mpipp_registry_map(sizeof *record);
  if (!record) return NULL;
  record->object.kind = MPIPP_COMM;
  record->object.serial = 1;
  record->object.handle = (uint64_t)(uintptr_t)record; // a value that no other record has
  record->identity = 2;                                // MPI_COMM_WORLD has the identity 1
  __atomic_store_n(&mpipp_registry.apart, (uint64_t)(uintptr_t)record, __ATOMIC_RELEASE);
  return record;
}

static uint64_t count_without_comm(const struct mpipp_call *call, enum mpipp_sequence sequence,
                                   uint64_t key) {
  uint64_t thread = MPIPP_READ(mpipp_thread_of(call)->serial), ordinal = 0;
  mpipp_registry_lock();
  struct mpipp_comm *record = no_comm_record();
  struct mpipp_channel *channel = record && !mpipp_recorder_has_missed_calls
                                      ? mpipp_recorder_channel_of(record, sequence, key, thread)
                                      : NULL;
  if (channel)
    ordinal = mpipp_channel_next_ordinal(channel);
  else if (record)
    mpipp_recorder_set_uncertain(record, sequence);
  mpipp_registry_unlock();
  return ordinal;
}

void mpipp_recorder_fail_gather_groups(void) {
  mpipp_registry_lock();
  struct mpipp_comm *record = no_comm_record();
  if (record) mpipp_recorder_set_uncertain(record, MPIPP_GROUP_CALLS);
  if (record) mpipp_recorder_set_uncertain(record, MPIPP_LEADERS);
  mpipp_registry_unlock();
}

void mpipp_recorder_gather_groups(struct mpipp_call *call, uint64_t handle, const char *stringtag) {
  const struct mpipp_group *group = mpipp_find_live(MPIPP_GROUP, handle);
  const int two = mpipp_facts[call->procedure].over == MPIPP_OVER_GROUPS;
  uint64_t tag = two;
  call->tag = 0;
  if (!group || !group->world_known || !stringtag) return mpipp_recorder_fail_gather_groups();
  for (const char *c = stringtag; *c; c++) tag = mix(tag, (unsigned char)*c);
  call->tag = fold(tag); // replaces the tag of MPI_Comm_create_group; it also enters the new
                         // communicator's identity
  uint64_t members = members_of(group->world_ranks, group->size);
  count_without_comm(call, MPIPP_GROUP_CALLS, mpipp_channel_key(fold(members), (int)call->tag));
}

void mpipp_recorder_lead_groups(const struct mpipp_call *call, uint64_t local, int local_leader,
                                uint64_t remote, int remote_leader) {
  const struct mpipp_group *own = mpipp_find_live(MPIPP_GROUP, local);
  const struct mpipp_group *other = mpipp_find_live(MPIPP_GROUP, remote);
  if (!own || own->rank != local_leader) return;
  if (!other || !other->world_known || remote_leader < 0 || remote_leader >= other->size)
    return mpipp_recorder_fail_gather_groups();
  const int32_t *ranks = (const int32_t *)(uintptr_t)other->world_ranks;
  int leader = ranks ? ranks[remote_leader] : remote_leader;
  count_without_comm(call, MPIPP_LEADERS, mpipp_channel_key(leader, (int)call->tag));
}

void mpipp_recorder_fail_gather(uint64_t handle, enum mpipp_sequence sequence) {
  struct mpipp_comm *comm = comm_of(handle);
  if (comm) mpipp_recorder_set_uncertain(comm, sequence);
}

// A hash of the processes, which is equal from both sides of an intercommunicator. Returns 0 if
// they are unknown.
static uint64_t processes_of(const struct mpipp_comm *comm) {
  if (!comm->world_known || (comm->inter && !comm->remote_world_ranks)) return 0;
  uint64_t local = members_of(comm->world_ranks, comm->size);
  if (!comm->inter) return local;
  const int32_t *ranks = (const int32_t *)(uintptr_t)comm->remote_world_ranks;
  for (int i = 0; i < comm->remote_size; i++) {
    if (ranks[i] < 0) return 0; // a process of another MPI_COMM_WORLD
  }
  uint64_t remote = members_of(comm->remote_world_ranks, comm->remote_size);
  return local < remote ? mix(local, remote) : mix(remote, local);
}

// Returns whether a procedure is collective only over some processes of the communicator. The
// procedure's calls are counted for the same processes and tag.
static int is_among_members(uint32_t procedure) {
  unsigned over = mpipp_facts[procedure].over;
  return over == MPIPP_OVER_GROUP || over == MPIPP_OVER_GROUPS;
}

// The identity of a communicator that was created from groups alone.
static uint64_t identity_without_comm(const struct mpipp_call *call,
                                      const struct mpipp_comm *made) {
  uint64_t processes = processes_of(made), key = mix(processes, (uint64_t)call->tag);
  uint64_t ordinal = processes ? count_without_comm(call, MPIPP_CREATIONS, key) : 0;
  const struct mpipp_comm *parent = (const void *)(uintptr_t)mpipp_registry.apart;
  if (!parent || !ordinal || mpipp_recorder_is_uncertain(parent, MPIPP_CREATIONS)) return 0;
  return mix(mix(parent->identity, mix(ordinal, key)), processes);
}

uint64_t mpipp_recorder_comm_identity(const struct mpipp_call *call,
                                      const struct mpipp_comm *made) {
  if (!(call->present & MPIPP_HAS_COMM))
    return is_among_members(call->procedure) ? identity_without_comm(call, made) : 0;
  uint64_t processes = processes_of(made), ordinal = call->ordinal;
  const struct mpipp_comm *parent = comm_of(call->comm);
  if (is_among_members(call->procedure)) {
    // An intercommunicator is created from two communicators, but both belong to the same
    // MPI_COMM_WORLD.
    if (mpipp_facts[call->procedure].over == MPIPP_OVER_GROUPS)
      parent = comm_of(MPIPP_KEY(MPI_COMM_WORLD));
    uint64_t key = mix(processes, (uint64_t)call->tag);
    ordinal =
        parent ? mpipp_recorder_count(call, MPIPP_CREATIONS, parent->object.handle, key, NULL) : 0;
    ordinal = ordinal ? mix(ordinal, key) : 0;
  } else if (!(call->present & MPIPP_HAS_ORDINAL)) {
    return 0; // processes that met in other ways: spawned, or connected
  }
  if (!parent || !parent->identity || !processes || !ordinal) return 0;
  if (mpipp_recorder_is_uncertain(parent, is_among_members(call->procedure) ? MPIPP_CREATIONS
                                                                            : MPIPP_COLLECTIVES))
    return 0;
  return mix(mix(parent->identity, ordinal), processes);
}

void mpipp_recorder_set_creator(const struct mpipp_call *call, struct mpipp_comm *made) {
  const uint32_t has = MPIPP_HAS_COMM | MPIPP_HAS_ORDINAL;
  if ((call->present & has) != has || is_among_members(call->procedure)) return;
  const struct mpipp_comm *parent = comm_of(call->comm);
  if (!parent || parent->identity || mpipp_recorder_is_uncertain(parent, MPIPP_COLLECTIVES)) return;
  made->made_of = parent->object.serial;
  made->made_by = call->ordinal;
}

uint64_t mpipp_recorder_window_identity(const struct mpipp_call *call, uint64_t *comm) {
  const struct mpipp_comm *parent = comm_of(call->comm);
  *comm = parent ? parent->identity : 0;
  if (!*comm || !call->ordinal || mpipp_recorder_is_uncertain(parent, MPIPP_COLLECTIVES)) return 0;
  return mix(*comm, call->ordinal);
}

uint64_t mpipp_recorder_predefined_identity(const char *name) {
  if (strcmp(name, "MPI_COMM_WORLD") == 0) return 1;
  int self = strcmp(name, "MPI_COMM_SELF") == 0;
  // Without MPI_COMM_WORLD, the identity of its parent is unknown.
  return self ? mix(1, (uint64_t)mpipp_registry.world_rank) : 0;
}
