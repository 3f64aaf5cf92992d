// SPDX-License-Identifier: MIT
#include "collective_precheck/fingerprint.h"

#include <string.h>

#include "abi/mpi_symbols.h"
#include "generated/facts.h"
#include "recorder/objects/signature_hash.h"
#include "registry/object_store.h"
#include "registry/registry.h"
#include "registry/topology_neighbors.h"

enum {
  OWN = 1,
  RING,
  PAIR,
  ENTRY,
  GROUP,
  ROOT
}; // the purpose of a weight; different purposes
   // have unrelated weights

struct mpipp_words {
  uint64_t word[2];
};

static uint64_t weight(unsigned use, int one, int other) {
  uint64_t value = (uint64_t)(unsigned)one << 32 | (unsigned)other;
  return mpipp_mix(mpipp_mix(0x9E3779B97F4A7C15u * use, value), value);
}

static void add(struct mpipp_terms *terms, uint64_t by, struct mpipp_words words) {
  for (int i = 0; i < 2; i++) terms->sums[i] += by * words.word[i];
}

// Adds words that must be equal in all processes, with weights that cancel around the ring of
// ranks.
static void add_ring(struct mpipp_terms *terms, struct mpipp_position position,
                     struct mpipp_words words) {
  int next = position.rank + 1 == position.size ? 0 : position.rank + 1;
  add(terms, weight(RING, position.rank, 0) - weight(RING, next, 0), words);
}

// Signatures of buffers.

static struct mpipp_words signature_words(uint64_t record, int64_t count) {
  struct mpipp_words found = {{1, 1}}; // the value for an unknown datatype: the sum differs, and
                                       // the watcher decides
  const struct mpipp_fingerprint *part =
      count ? mpipp_recorder_fingerprint_of((struct mpipp_datatype *)(uintptr_t)record) : NULL;
  if (count && !part) return found;
  struct mpipp_fingerprint whole = {{0}, {0}, 0, 0};
  if (part) whole = mpipp_recorder_fingerprint_repeat(*part, (uint64_t)count);
  for (int i = 0; i < 2; i++)
    found.word[i] = mpipp_mix(mpipp_mix(2, whole.elements), whole.hash[i]);
  return found;
}

static struct mpipp_words entry_words(const struct mpipp_buffer *buffer, int64_t count) {
  return signature_words(buffer->access & MPIPP_STALE ? 0 : buffer->record, count);
}

static struct mpipp_words buffer_words(const struct mpipp_buffer *buffer) {
  return entry_words(buffer, buffer->count);
}

static int64_t element(const void *values, uint64_t index, unsigned size) {
  return size == sizeof(int) ? ((const int *)values)[index] : ((const int64_t *)values)[index];
}

// The signature of a buffer's data for each peer. Without array arguments all peers have the same
// signature, which is computed once.
struct mpipp_shares {
  const struct mpipp_call *call;
  const struct mpipp_buffer *buffer;
  struct mpipp_words each;
};

static struct mpipp_shares shares_of(const struct mpipp_call *call,
                                     const struct mpipp_buffer *buffer) {
  struct mpipp_shares shares = {call, buffer, {{0, 0}}};
  if (buffer && !buffer->vector) shares.each = buffer_words(buffer);
  return shares;
}

static struct mpipp_words share_words(const struct mpipp_shares *shares, int peer) {
  const struct mpipp_buffer *buffer = shares->buffer;
  if (!buffer->vector) return shares->each;
  const struct mpipp_call *call = shares->call;
  const struct mpipp_vector *vector = &call->vectors[buffer->vector - 1];
  const void *counts = (const void *)(uintptr_t)vector->counts;
  const MPI_Datatype *types = (const MPI_Datatype *)(uintptr_t)vector->datatypes;
  if (!counts || (uint64_t)peer >= vector->length) return (struct mpipp_words){{1, 1}};
  int64_t count = element(counts, (uint64_t)peer, vector->count_size);
  uint64_t record = buffer->record;
  if (types && count) record = (uintptr_t)mpipp_find_live(MPIPP_DATATYPE, MPIPP_KEY(types[peer]));
  return signature_words(record, count);
}

static int is_in_place(const struct mpipp_buffer *buffer) {
  return buffer->address == (uintptr_t)MPI_IN_PLACE;
}

// The buffer that the call reads (or writes); NULL if there is none, or it is MPI_IN_PLACE.
static const struct mpipp_buffer *buffer_of(const struct mpipp_call *call, unsigned access) {
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    if (call->buffers[i].access & access && !is_in_place(&call->buffers[i]))
      return &call->buffers[i];
  }
  return NULL;
}

static int sends_in_place(const struct mpipp_call *call) {
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    if (is_in_place(&call->buffers[i])) return 1;
  }
  return 0;
}

// A call whose buffers are compared according to its row in the table (generator/agreement.py).
struct mpipp_exchange {
  const struct mpipp_call *call;
  const struct mpipp_facts *facts;
  const struct mpipp_comm *comm; // needed for a topology, or for an intercommunicator
  const struct mpipp_buffer *read, *written;
  struct mpipp_position position;
};

static int reduces(const struct mpipp_facts *facts) {
  return (facts->agree & MPIPP_AGREE_OP) != 0;
}

static int has_root(const struct mpipp_facts *facts) {
  return (facts->agree & MPIPP_AGREE_ROOT) != 0;
}

// Signatures that must be equal in all processes.

static struct mpipp_words vector_words(const struct mpipp_exchange *of, int size) {
  const struct mpipp_vector *counts = // the counts of a reduce-scatter
      of->call->present & MPIPP_HAS_COUNTS ? &of->call->vectors[0] : NULL;
  const struct mpipp_shares shares = shares_of(of->call, counts ? NULL : of->written);
  struct mpipp_terms found = {{0, 0}};
  for (int i = 0; of->written && i < size && (!counts || (uint64_t)i < counts->length); i++) {
    const void *values = counts ? (const void *)(uintptr_t)counts->counts : NULL;
    add(&found, weight(ENTRY, i, 0),
        counts ? entry_words(of->written, element(values, (uint64_t)i, counts->count_size))
               : share_words(&shares, i));
  }
  return (struct mpipp_words){{found.sums[0], found.sums[1]}};
}

// Returns this process's signature. If the process receives the data that it sends to itself,
// checks that transfer, too.
static struct mpipp_words add_equal(struct mpipp_terms *terms, const struct mpipp_exchange *of) {
  const struct mpipp_buffer *any = of->written ? of->written : of->read;
  int rank = of->position.rank;
  if (of->read && of->written && !reduces(of->facts)) {
    const struct mpipp_shares sent = shares_of(of->call, of->read);
    const struct mpipp_shares received = shares_of(of->call, of->written);
    add(terms, weight(OWN, rank, 0), share_words(&sent, rank));
    add(terms, -weight(OWN, rank, 0), share_words(&received, rank));
  }
  if (of->facts->signatures == MPIPP_SIGNATURES_VECTOR) return vector_words(of, of->position.size);
  return any ? buffer_words(any) : (struct mpipp_words){{0, 0}};
}

// Transfers from one process to another: the sender adds a term, and the receiver subtracts it.

// Both groups of an intercommunicator belong to MPI_COMM_WORLD, so ranks in MPI_COMM_WORLD identify
// the processes of both.
static int world_rank(uint64_t world_ranks, int rank) {
  const int32_t *ranks = (const int32_t *)(uintptr_t)world_ranks;
  return ranks ? ranks[rank] : rank;
}

static int peer_rank(const struct mpipp_exchange *of, int number, int sends) {
  if (of->facts->flow == MPIPP_FLOW_EDGES)
    return (int)(sends ? mpipp_registry_destination(of->comm, number)
                       : mpipp_registry_source(of->comm, number));
  return of->position.inter ? world_rank(of->comm->remote_world_ranks, number) : number;
}

struct mpipp_peers {
  int first, end; // first and end of the peers' numbers in the buffer
};

static struct mpipp_peers peers_of(const struct mpipp_exchange *of, int sends) {
  const struct mpipp_peers none = {0, 0};
  int root = (int)of->call->root, inter = of->position.inter;
  int size = inter ? of->comm->remote_size : of->position.size;
  switch (of->facts->flow) {
  case MPIPP_FLOW_EDGES:
    return (struct mpipp_peers){0, sends ? of->comm->outdegree : of->comm->indegree};
  case MPIPP_FLOW_FROM_ROOT:
  case MPIPP_FLOW_TO_ROOT:
    if (sends == (of->facts->flow == MPIPP_FLOW_TO_ROOT)) // only the root is a peer
      return root < 0 || root >= size ? none : (struct mpipp_peers){root, root + 1};
    return root == (inter ? MPI_ROOT : of->position.rank) ? (struct mpipp_peers){0, size} : none;
  default:
    return (struct mpipp_peers){0, size};
  }
}

static void add_transfers(struct mpipp_terms *terms, const struct mpipp_exchange *of, int sends) {
  const struct mpipp_buffer *buffer = sends && of->read ? of->read : of->written;
  const struct mpipp_peers peers = peers_of(of, sends);
  if (!buffer || peers.first == peers.end) return;
  const struct mpipp_shares shares = shares_of(of->call, buffer);
  int inter = of->position.inter, edges = of->facts->flow == MPIPP_FLOW_EDGES;
  int own = inter ? world_rank(of->comm->world_ranks, of->comm->rank) : of->position.rank;
  int has_own = of->read && of->written;
  for (int i = peers.first; i < peers.end; i++) {
    int peer = peer_rank(of, i, sends);
    if (edges ? peer == MPI_PROC_NULL : peer == own && !has_own) continue;
    uint64_t by = sends ? weight(PAIR, own, peer) : -weight(PAIR, peer, own);
    add(terms, by, share_words(&shares, i));
  }
}

// Identifies a group of an intercommunicator by the rank of its first process in MPI_COMM_WORLD.
static uint64_t group_of(uint64_t world_ranks) {
  return (uint64_t)world_rank(world_ranks, 0);
}

// Adds the block sizes of a reduce-scatter on an intercommunicator. The sizes must be equal within
// the process's own group, so they use a ring of their own.
static void add_counts(struct mpipp_terms *terms, const struct mpipp_exchange *of) {
  const struct mpipp_comm *comm = of->comm;
  int next = comm->rank + 1 == comm->size ? 0 : comm->rank + 1;
  int group = (int)group_of(comm->world_ranks) + 1; // number of the ring; ring 0 is for both groups
  add(terms, weight(RING, comm->rank, group) - weight(RING, next, group),
      vector_words(of, comm->size));
}

// Adds the transfers from one process to another. Returns the signature that must be equal in all
// processes.
static struct mpipp_words add_buffers(struct mpipp_terms *terms, const struct mpipp_call *call,
                                      const struct mpipp_facts *facts,
                                      struct mpipp_position position) {
  const struct mpipp_words none = {{0, 0}};
  struct mpipp_exchange of = {
      call, facts, NULL, buffer_of(call, MPIPP_READS), buffer_of(call, MPIPP_WRITES), position};
  if (facts->signatures == MPIPP_SIGNATURES_NONE) return none;
  if (position.inter || facts->flow == MPIPP_FLOW_EDGES) {
    of.comm = mpipp_find_live(MPIPP_COMM, call->comm);
    if (!of.comm || (!position.inter && !mpipp_registry_knows_neighbors(of.comm))) return none;
  }
  if (!position.inter && facts->signatures != MPIPP_SIGNATURES_PAIRS) return add_equal(terms, &of);
  // All data has one signature, but the numbers of blocks may differ.
  if (position.inter && reduces(facts) && !has_root(facts)) {
    if (call->present & MPIPP_HAS_COUNTS) add_counts(terms, &of);
    return of.read ? entry_words(of.read, of.read->count * of.read->peers) : none;
  }
  for (int sends = 0; sends < 2; sends++) add_transfers(terms, &of, sends);
  return none;
}

// Arguments other than buffers.

static uint64_t text(const char *text) {
  uint64_t value = 1;
  while (text && *text) value = value * 31 + (unsigned char)*text++;
  return value;
}

// Hashes a predefined operation by its name, because handles may differ between processes. MPI does
// not require the program's own operations to be the same.
static uint64_t operation(uint64_t handle) {
  const struct mpipp_object *op = mpipp_find_live(MPIPP_OP, handle);
  return text(op && op->flags & MPIPP_FLAG_PREDEFINED ? (const char *)(uintptr_t)op->name : NULL);
}

// Arguments for which other functions add terms. Some of the remaining arguments may differ between
// processes in valid calls, for example MPI_UNDEFINED or the leader of the other group. For these
// the watcher decides.
enum {
  NOT_VALUES = MPIPP_AGREE_ROOT | MPIPP_AGREE_OP | MPIPP_AGREE_GROUP | MPIPP_AGREE_LOCAL_GROUP
};

static uint32_t agreeing(const struct mpipp_input *input, uint32_t agree) {
  const char *name = (const char *)(uintptr_t)input->name;
  for (unsigned i = 0; i < MPIPP_ARGUMENTS; i++) {
    if (agree & 1u << i && strcmp(mpipp_argument_names[i], name) == 0) return 1u << i;
  }
  return 0;
}

// Adds the values of one argument to a hash. last: the last value of the previous argument, which
// is the length of an array that has no count of its own.
static uint64_t input_value(uint64_t value, const struct mpipp_input *input, uint32_t agree,
                            int64_t last) {
  if (!input->values) return value;
  if (agree == MPIPP_AGREE_WEIGHTS) return mpipp_mix(value, 1);
  if (input->size == 1) return mpipp_mix(value, text(input->values));
  int64_t count = input->count >= 0 ? input->count : last;
  int64_t mask = agree == MPIPP_AGREE_ASSERT ? MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED : -1;
  for (int64_t i = 0; i < count; i++) {
    int64_t given = element(input->values, (uint64_t)i, input->size) & mask;
    value = mpipp_mix(value, agree & MPIPP_AGREE_LOGICAL ? given != 0 : (uint64_t)given);
  }
  return value;
}

static uint64_t hash_inputs(uint64_t value, const struct mpipp_call *call, uint32_t agree) {
  const struct mpipp_input *given = (const struct mpipp_input *)(uintptr_t)call->inputs;
  int64_t last = 0;
  for (uint32_t i = 0; i < call->input_count; i++) {
    uint32_t own = agreeing(&given[i], agree & ~(uint32_t)NOT_VALUES);
    if (own) value = input_value(value, &given[i], own, last);
    if (given[i].values && given[i].count > 0)
      last = element(given[i].values, (uint64_t)given[i].count - 1, given[i].size);
  }
  return value;
}

static uint64_t arguments(const struct mpipp_call *call, const struct mpipp_facts *facts,
                          struct mpipp_position position) {
  uint64_t value = mpipp_mix(1, facts->operation);
  if (has_root(facts) && !position.inter) value = mpipp_mix(value, (uint64_t)call->root);
  if (reduces(facts)) value = mpipp_mix(value, operation(call->op));
  if (facts->in_place == MPIPP_IN_PLACE_ALL && !position.inter)
    value = mpipp_mix(value, (uint64_t)sends_in_place(call));
  if (call->present & MPIPP_HAS_ARGUMENTS) value = hash_inputs(value, call, facts->agree);
  return value;
}

// The group argument of MPI_Comm_create. The members of a group form a ring, because processes may
// pass different groups.
static void add_group(struct mpipp_terms *terms, const struct mpipp_call *call) {
  const struct mpipp_input *given = (const struct mpipp_input *)(uintptr_t)call->inputs;
  const struct mpipp_group *group = NULL;
  for (uint32_t i = 0; i < call->input_count; i++) {
    if (given[i].name == mpipp_role(MPIPP_ROLE_group))
      group = mpipp_find_live(MPIPP_GROUP, *(const uint64_t *)given[i].values);
  }
  if (!group || group->rank < 0 || !group->world_known) return;
  const int32_t *ranks = (const int32_t *)(uintptr_t)group->world_ranks;
  int next = group->rank + 1 == group->size ? 0 : group->rank + 1;
  struct mpipp_words words = {{1, 2}};
  for (int i = 0; i < group->size; i++) {
    uint64_t member = (uint64_t)(ranks ? ranks[i] : i);
    for (int k = 0; k < 2; k++) words.word[k] = mpipp_mix(words.word[k], member);
  }
  add(terms,
      weight(GROUP, ranks ? ranks[group->rank] : group->rank, 0) -
          weight(GROUP, ranks ? ranks[next] : next, 0),
      words);
}

// On an intercommunicator, each process of one group passes the root's rank in the other group. The
// root adds its own rank once for each of these processes, and they subtract the rank that they
// pass.
static uint64_t add_root(struct mpipp_terms *terms, const struct mpipp_call *call) {
  const struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, call->comm);
  int root = (int)call->root, is_root = root == MPI_ROOT;
  if (!comm) return 0;
  int here = is_root || root == MPI_PROC_NULL;
  uint64_t rank = (uint64_t)(is_root ? comm->rank : root) + 1;
  uint64_t by = is_root ? (uint64_t)comm->remote_size : -(uint64_t)1;
  if (is_root || !here)
    add(terms, by * weight(ROOT, 0, 0), (struct mpipp_words){{rank, mpipp_mix(1, rank)}});
  return group_of(here ? comm->world_ranks : comm->remote_world_ranks) + 1;
}

struct mpipp_terms mpipp_precheck_terms_of(const struct mpipp_call *call,
                                           struct mpipp_position position) {
  const struct mpipp_facts *facts = &mpipp_facts[call->procedure];
  struct mpipp_terms terms = {{0, 0}};
  struct mpipp_words words = add_buffers(&terms, call, facts, position);
  uint64_t given = arguments(call, facts, position);
  if (has_root(facts) && position.inter) given = mpipp_mix(given, add_root(&terms, call));
  for (int i = 0; i < 2; i++) words.word[i] = mpipp_mix(given, words.word[i]);
  add_ring(&terms, position, words);
  if (facts->agree & MPIPP_AGREE_GROUP && call->present & MPIPP_HAS_ARGUMENTS)
    add_group(&terms, call);
  return terms;
}
