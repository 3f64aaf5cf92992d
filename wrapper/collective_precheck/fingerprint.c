// SPDX-License-Identifier: MIT
#include "collective_precheck/fingerprint.h"

#include <string.h>

#include "abi/mpi_symbols.h"
#include "generated/facts.h"
#include "recorder/objects/signature_hash.h"
#include "registry/object_store.h"
#include "registry/registry.h"
#include "registry/topology_neighbors.h"

enum { OWN = 1, RING, PAIR, ENTRY, GROUP, ROOT }; // uses of weights

struct mpipp_words {
  uint64_t word[2];
};

static uint64_t weight(unsigned use, int one, int other) {
  uint64_t value = (uint64_t)(unsigned)one << 32 | (unsigned)other;
  return mpipp_mixed(mpipp_mixed(0x9E3779B97F4A7C15u * use, value), value);
}

static void add(struct mpipp_terms *terms, uint64_t by, struct mpipp_words words) {
  for (int i = 0; i < 2; i++) terms->sums[i] += by * words.word[i];
}

// What all must have alike.
static void add_ring(struct mpipp_terms *terms, struct mpipp_position position,
                     struct mpipp_words words) {
  int next = position.rank + 1 == position.size ? 0 : position.rank + 1;
  add(terms, weight(RING, position.rank, 0) - weight(RING, next, 0), words);
}

// Signatures.

static struct mpipp_words of_signature(uint64_t record, int64_t count) {
  struct mpipp_words found = {{1, 1}}; // of what is not known: the watcher will
  const struct mpipp_digest *part =
      count ? mpipp_recorder_digest_of((struct mpipp_datatype *)(uintptr_t)record) : NULL;
  if (count && !part) return found;
  struct mpipp_digest whole = {{0}, {0}, 0, 0};
  if (part) whole = mpipp_recorder_digest_repeated(*part, (uint64_t)count);
  for (int i = 0; i < 2; i++)
    found.word[i] = mpipp_mixed(mpipp_mixed(2, whole.elements), whole.hash[i]);
  return found;
}

static struct mpipp_words of_entries(const struct mpipp_buffer *buffer, int64_t count) {
  return of_signature(buffer->access & MPIPP_STALE ? 0 : buffer->record, count);
}

static struct mpipp_words of_buffer(const struct mpipp_buffer *buffer) {
  return of_entries(buffer, buffer->count);
}

static int64_t element(const void *values, uint64_t index, unsigned size) {
  return size == sizeof(int) ? ((const int *)values)[index] : ((const int64_t *)values)[index];
}

// What a buffer has for each peer: without a vector the same, which is computed once.
struct mpipp_shares {
  const struct mpipp_call *call;
  const struct mpipp_buffer *buffer;
  struct mpipp_words each;
};

static struct mpipp_shares shares_of(const struct mpipp_call *call,
                                     const struct mpipp_buffer *buffer) {
  struct mpipp_shares shares = {call, buffer, {{0, 0}}};
  if (buffer && !buffer->vector) shares.each = of_buffer(buffer);
  return shares;
}

static struct mpipp_words of_share(const struct mpipp_shares *shares, int peer) {
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
  return of_signature(record, count);
}

static int is_in_place(const struct mpipp_buffer *buffer) {
  return buffer->address == (uintptr_t)MPI_IN_PLACE;
}

// The buffer that is read, or written; NULL where there is none, or MPI_IN_PLACE.
static const struct mpipp_buffer *buffer_of(const struct mpipp_call *call, unsigned access) {
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    if (call->buffers[i].access & access && !is_in_place(&call->buffers[i]))
      return &call->buffers[i];
  }
  return NULL;
}

static int gives_in_place(const struct mpipp_call *call) {
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    if (is_in_place(&call->buffers[i])) return 1;
  }
  return 0;
}

// The buffer whose signature all processes have alike; NULL: it is not known.
static const struct mpipp_buffer *common_buffer(const struct mpipp_call *call, unsigned operation,
                                                int is_root) {
  const struct mpipp_buffer *read = buffer_of(call, MPIPP_READS);
  const struct mpipp_buffer *written = buffer_of(call, MPIPP_WRITES);
  switch (operation) {
  case MPIPP_PROC_Gather:
    return is_root ? written : read;
  case MPIPP_PROC_Scatter:
    return is_root ? read : written;
  case MPIPP_PROC_Allgather:
  case MPIPP_PROC_Alltoall:
  case MPIPP_PROC_Reduce_scatter_block: // what is read is all that is scattered
    return written;
  default:
    return read ? read : written;
  }
}

// Those of one count of each buffer for all: whether something goes from a process to itself. Of
// rooted ones only the root has both buffers.
static int has_own(unsigned operation) {
  return operation == MPIPP_PROC_Allgather || operation == MPIPP_PROC_Alltoall ||
         operation == MPIPP_PROC_Gather || operation == MPIPP_PROC_Scatter;
}

// What a process sends to itself is what it receives.
static void add_own(struct mpipp_terms *terms, const struct mpipp_call *call,
                    struct mpipp_position position) {
  const struct mpipp_buffer *read = buffer_of(call, MPIPP_READS);
  const struct mpipp_buffer *written = buffer_of(call, MPIPP_WRITES);
  if (!read || !written) return;
  uint64_t by = weight(OWN, position.rank, 0);
  const struct mpipp_shares sent = shares_of(call, read), received = shares_of(call, written);
  add(terms, by, of_share(&sent, position.rank));
  add(terms, -by, of_share(&received, position.rank));
}

static struct mpipp_words of_vector(const struct mpipp_call *call, int size) {
  const struct mpipp_buffer *written = buffer_of(call, MPIPP_WRITES);
  struct mpipp_terms found = {{0, 0}};
  if (call->present & MPIPP_HAS_COUNTS) { // a reduce-scatter
    const struct mpipp_vector *vector = &call->vectors[0];
    for (int i = 0; written && i < size && (uint64_t)i < vector->length; i++) {
      int64_t count =
          element((const void *)(uintptr_t)vector->counts, (uint64_t)i, vector->count_size);
      add(&found, weight(ENTRY, i, 0), of_entries(written, count));
    }
  } else {
    const struct mpipp_shares shares = shares_of(call, written);
    for (int i = 0; written && i < size; i++)
      add(&found, weight(ENTRY, i, 0), of_share(&shares, i));
  }
  return (struct mpipp_words){{found.sums[0], found.sums[1]}};
}

// Gathers and scatters: between the root and each other.
static void add_rooted(struct mpipp_terms *terms, const struct mpipp_call *call,
                       struct mpipp_position position) {
  int root = (int)call->root;
  if (position.rank == root) add_own(terms, call, position);
  if (position.rank != root) {
    const struct mpipp_buffer *own = buffer_of(call, MPIPP_READS | MPIPP_WRITES);
    if (own) add(terms, weight(PAIR, position.rank, root), of_buffer(own));
    return;
  }
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    const struct mpipp_buffer *buffer = &call->buffers[i];
    if (!buffer->vector) continue; // its own share, which is added above
    const struct mpipp_shares shares = shares_of(call, buffer);
    for (int peer = 0; peer < position.size; peer++) {
      if (peer != root) add(terms, -weight(PAIR, peer, root), of_share(&shares, peer));
    }
  }
}

// With MPI_IN_PLACE, what is received takes the place of what is sent.
static void add_pairs(struct mpipp_terms *terms, const struct mpipp_call *call,
                      struct mpipp_position position) {
  const struct mpipp_buffer *written = buffer_of(call, MPIPP_WRITES);
  const struct mpipp_buffer *read = buffer_of(call, MPIPP_READS);
  const struct mpipp_shares sent = shares_of(call, read ? read : written);
  const struct mpipp_shares received = shares_of(call, written);
  for (int peer = 0; written && peer < position.size; peer++) {
    add(terms, weight(PAIR, position.rank, peer), of_share(&sent, peer));
    add(terms, -weight(PAIR, peer, position.rank), of_share(&received, peer));
  }
}

// Along the edges of a topology; of several between two processes, which is which does not matter.
static void add_edges(struct mpipp_terms *terms, const struct mpipp_call *call) {
  const struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, call->comm);
  const struct mpipp_buffer *read = buffer_of(call, MPIPP_READS);
  const struct mpipp_buffer *written = buffer_of(call, MPIPP_WRITES);
  if (!comm || !mpipp_registry_knows_neighbors(comm)) return;
  const struct mpipp_shares sent = shares_of(call, read), received = shares_of(call, written);
  for (int i = 0; read && i < comm->outdegree; i++) {
    int to = (int)mpipp_registry_destination(comm, i);
    if (to != MPI_PROC_NULL) add(terms, weight(PAIR, comm->rank, to), of_share(&sent, i));
  }
  for (int i = 0; written && i < comm->indegree; i++) {
    int from = (int)mpipp_registry_source(comm, i);
    if (from != MPI_PROC_NULL) add(terms, -weight(PAIR, from, comm->rank), of_share(&received, i));
  }
}

// The two groups of an intercommunicator, all of MPI_COMM_WORLD: by their ranks there.

static int world_rank(uint64_t world_ranks, int rank) {
  const int32_t *ranks = (const int32_t *)(uintptr_t)world_ranks;
  return ranks ? ranks[rank] : rank;
}

// Each and all of the other group.
static void add_across(struct mpipp_terms *terms, const struct mpipp_call *call,
                       const struct mpipp_comm *comm) {
  const struct mpipp_buffer *read = buffer_of(call, MPIPP_READS);
  const struct mpipp_buffer *written = buffer_of(call, MPIPP_WRITES);
  const struct mpipp_shares sent = shares_of(call, read), received = shares_of(call, written);
  int own = world_rank(comm->world_ranks, comm->rank);
  for (int peer = 0; peer < comm->remote_size; peer++) {
    int other = world_rank(comm->remote_world_ranks, peer);
    if (read) add(terms, weight(PAIR, own, other), of_share(&sent, peer));
    if (written) add(terms, -weight(PAIR, other, own), of_share(&received, peer));
  }
}

// The root and all of the other group.
static void add_to_root(struct mpipp_terms *terms, const struct mpipp_call *call,
                        const struct mpipp_comm *comm, int root_sends) {
  int is_root = call->root == MPI_ROOT;
  const struct mpipp_buffer *buffer =
      buffer_of(call, is_root == root_sends ? MPIPP_READS : MPIPP_WRITES);
  if (!buffer || call->root == MPI_PROC_NULL) return;
  if (!is_root) {
    add(terms, weight(PAIR, world_rank(comm->world_ranks, comm->rank), 0), of_buffer(buffer));
    return;
  }
  const struct mpipp_shares shares = shares_of(call, buffer);
  for (int peer = 0; peer < comm->remote_size; peer++)
    add(terms, -weight(PAIR, world_rank(comm->remote_world_ranks, peer), 0),
        of_share(&shares, peer));
}

// A group of an intercommunicator, by its first process.
static uint64_t group_of(uint64_t world_ranks) {
  return (uint64_t)world_rank(world_ranks, 0);
}

// What all of its own group must have alike, on a ring of that: a reduce-scatter's blocks.
static void add_counts(struct mpipp_terms *terms, const struct mpipp_call *call,
                       const struct mpipp_comm *comm) {
  int next = comm->rank + 1 == comm->size ? 0 : comm->rank + 1;
  int group = (int)group_of(comm->world_ranks) + 1; // the ring of both is 0
  add(terms, weight(RING, comm->rank, group) - weight(RING, next, group),
      of_vector(call, comm->size));
}

// Returns what all must have alike.
static struct mpipp_words add_between_groups(struct mpipp_terms *terms,
                                             const struct mpipp_call *call, unsigned operation) {
  const struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, call->comm);
  const struct mpipp_buffer *read = buffer_of(call, MPIPP_READS);
  struct mpipp_words none = {{0, 0}};
  if (!comm) return none;
  if (call->present & MPIPP_HAS_COUNTS) add_counts(terms, call, comm);
  switch (operation) {
  case MPIPP_PROC_Allreduce:
  case MPIPP_PROC_Reduce_scatter:
  case MPIPP_PROC_Reduce_scatter_block: // as much, but not as many blocks
    return read ? of_entries(read, read->count * read->peers) : none;
  case MPIPP_PROC_Bcast:
  case MPIPP_PROC_Scatter:
  case MPIPP_PROC_Scatterv:
    add_to_root(terms, call, comm, 1);
    return none;
  case MPIPP_PROC_Gather:
  case MPIPP_PROC_Gatherv:
  case MPIPP_PROC_Reduce:
    add_to_root(terms, call, comm, 0);
    return none;
  default:
    add_across(terms, call, comm);
    return none;
  }
}

// Arguments.

static uint64_t text(const char *text) {
  uint64_t value = 1;
  while (text && *text) value = value * 31 + (unsigned char)*text++;
  return value;
}

// Of a predefined operation, by its name: handles differ between processes. MPI compares none of
// the program's own.
static uint64_t operation(uint64_t handle) {
  const struct mpipp_object *op = mpipp_find_live(MPIPP_OP, handle);
  return text(op && op->flags & MPIPP_FLAG_PREDEFINED ? (const char *)(uintptr_t)op->name : NULL);
}

// Arguments that are recorded by name. Some need not be the same in all processes: one may give
// MPI_UNDEFINED, or the other group another leader; the watcher knows.
static const struct {
  uint32_t agree;
  const char *name;
} inputs[] = {
    {MPIPP_AGREE_NDIMS, "ndims"},     {MPIPP_AGREE_DIMS, "dims"},
    {MPIPP_AGREE_PERIODS, "periods"}, {MPIPP_AGREE_NNODES, "nnodes"},
    {MPIPP_AGREE_INDEX, "index"},     {MPIPP_AGREE_EDGES, "edges"},
    {MPIPP_AGREE_REORDER, "reorder"}, {MPIPP_AGREE_ASSERT, "assert"},
    {MPIPP_AGREE_AMODE, "amode"},     {MPIPP_AGREE_DATAREP, "datarep"},
    {MPIPP_AGREE_ETYPE, "etype"},     {MPIPP_AGREE_SIZE, "size"},
    {MPIPP_AGREE_OFFSET, "offset"},   {MPIPP_AGREE_WHENCE, "whence"},
    {MPIPP_AGREE_FLAG, "flag"},       {MPIPP_AGREE_LOCAL_LEADER, "local_leader"},
    {MPIPP_AGREE_HIGH, "high"},       {MPIPP_AGREE_SPLIT_TYPE, "split_type"},
    {MPIPP_AGREE_WEIGHTS, "weights"},
};

static uint32_t agreeing(const struct mpipp_input *input) {
  const char *name = (const char *)(uintptr_t)input->name;
  for (unsigned i = 0; i < sizeof inputs / sizeof *inputs; i++) {
    if (strcmp(inputs[i].name, name) == 0) return inputs[i].agree;
  }
  return 0;
}

// Of these only counts whether they are true.
enum { LOGICAL = MPIPP_AGREE_PERIODS | MPIPP_AGREE_REORDER | MPIPP_AGREE_HIGH | MPIPP_AGREE_FLAG };

// last: the value before it, the last of an array; of a graph the number of edges.
static uint64_t input_value(uint64_t value, const struct mpipp_input *input, uint32_t agree,
                            int64_t last) {
  if (!input->values) return value;
  if (agree == MPIPP_AGREE_WEIGHTS) return mpipp_mixed(value, 1);
  if (input->size == 1) return mpipp_mixed(value, text(input->values));
  int64_t count = input->count >= 0 ? input->count : last;
  int64_t mask = agree == MPIPP_AGREE_ASSERT ? MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED : -1;
  for (int64_t i = 0; i < count; i++) {
    int64_t given = element(input->values, (uint64_t)i, input->size) & mask;
    value = mpipp_mixed(value, agree & LOGICAL ? given != 0 : (uint64_t)given);
  }
  return value;
}

static uint64_t further_arguments(uint64_t value, const struct mpipp_call *call, uint32_t agree) {
  const struct mpipp_input *given = (const struct mpipp_input *)(uintptr_t)call->inputs;
  int64_t last = 0;
  for (uint32_t i = 0; i < call->input_count; i++) {
    uint32_t own = agreeing(&given[i]);
    if (own & agree) value = input_value(value, &given[i], own, last);
    if (given[i].values && given[i].count > 0)
      last = element(given[i].values, (uint64_t)given[i].count - 1, given[i].size);
  }
  return value;
}

static uint64_t arguments(const struct mpipp_call *call, const struct mpipp_facts *facts,
                          struct mpipp_position position) {
  uint64_t value = mpipp_mixed(1, facts->operation);
  if (facts->agree & MPIPP_AGREE_ROOT && !position.inter)
    value = mpipp_mixed(value, (uint64_t)call->root);
  if (facts->agree & MPIPP_AGREE_OP) value = mpipp_mixed(value, operation(call->op));
  if (facts->in_place == MPIPP_IN_PLACE_ALL && !position.inter)
    value = mpipp_mixed(value, (uint64_t)gives_in_place(call));
  if (call->present & MPIPP_HAS_ARGUMENTS) value = further_arguments(value, call, facts->agree);
  return value;
}

// The group that MPI_Comm_create is given, in its members: others may give other groups.
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
    for (int k = 0; k < 2; k++) words.word[k] = mpipp_mixed(words.word[k], member);
  }
  add(terms,
      weight(GROUP, ranks ? ranks[group->rank] : group->rank, 0) -
          weight(GROUP, ranks ? ranks[next] : next, 0),
      words);
}

// On an intercommunicator: all name the root's group alike, and the root names its rank as often as
// there are processes that are told.
static uint64_t add_root(struct mpipp_terms *terms, const struct mpipp_call *call) {
  const struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, call->comm);
  int root = (int)call->root, is_root = root == MPI_ROOT;
  if (!comm) return 0;
  int here = is_root || root == MPI_PROC_NULL;
  uint64_t rank = (uint64_t)(is_root ? comm->rank : root) + 1;
  uint64_t by = is_root ? (uint64_t)comm->remote_size : -(uint64_t)1;
  if (is_root || !here)
    add(terms, by * weight(ROOT, 0, 0), (struct mpipp_words){{rank, mpipp_mixed(1, rank)}});
  return group_of(here ? comm->world_ranks : comm->remote_world_ranks) + 1;
}

struct mpipp_terms mpipp_precheck_terms_of(const struct mpipp_call *call,
                                           struct mpipp_position position) {
  const struct mpipp_facts *facts = &mpipp_facts[call->procedure];
  const struct mpipp_buffer *buffer = NULL;
  struct mpipp_terms terms = {{0, 0}};
  struct mpipp_words words = {{0, 0}};
  if (position.inter && facts->signatures != MPIPP_SIGNATURES_NONE)
    words = add_between_groups(&terms, call, facts->operation);
  switch (position.inter ? MPIPP_SIGNATURES_NONE : facts->signatures) {
  case MPIPP_SIGNATURES_EQUAL:
    buffer = common_buffer(call, facts->operation, position.rank == call->root);
    if (buffer) words = of_buffer(buffer);
    if (has_own(facts->operation)) add_own(&terms, call, position);
    break;
  case MPIPP_SIGNATURES_VECTOR:
    words = of_vector(call, position.size);
    if (facts->operation == MPIPP_PROC_Allgatherv) add_own(&terms, call, position);
    break;
  case MPIPP_SIGNATURES_PAIRS:
    if (facts->agree & MPIPP_AGREE_ROOT)
      add_rooted(&terms, call, position);
    else
      add_pairs(&terms, call, position);
    break;
  case MPIPP_SIGNATURES_NEIGHBORS:
    add_edges(&terms, call);
    break;
  default:
    break;
  }
  uint64_t given = arguments(call, facts, position);
  if (facts->agree & MPIPP_AGREE_ROOT && position.inter)
    given = mpipp_mixed(given, add_root(&terms, call));
  for (int i = 0; i < 2; i++) words.word[i] = mpipp_mixed(given, words.word[i]);
  add_ring(&terms, position, words);
  if (facts->agree & MPIPP_AGREE_GROUP && call->present & MPIPP_HAS_ARGUMENTS)
    add_group(&terms, call);
  return terms;
}
