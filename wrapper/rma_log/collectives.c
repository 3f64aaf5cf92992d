// SPDX-License-Identifier: MIT
// Collective calls in the log: which processes receive data from which others.
#include <stddef.h>

#include "abi/vendor.h"
#include "generated/facts.h"
#include "registry/object_store.h"
#include "registry/topology_neighbors.h"
#include "rma_log/comm_members.h"
#include "rma_log/entry_builder.h"
#include "rma_log/log.h"

enum { MOST_SOURCES = 64 }; // more sources are not listed: then all processes count as sources

// Returns whether an entry of a datatype has any bytes. An unrecorded datatype counts as having
// some.
static int has_bytes(uint64_t record) {
  const struct mpipp_datatype *type = (const void *)(uintptr_t)record;
  return !type || type->size > 0;
}

static const struct mpipp_vector *vector_of(const struct mpipp_call *of,
                                            const struct mpipp_buffer *buffer) {
  return &of->vectors[buffer->vector - 1];
}

// Returns whether a v or w form sends data to a peer, or receives data from it, in that buffer.
static int has_peer_data(const struct mpipp_call *of, const struct mpipp_buffer *buffer,
                         uint64_t peer) {
  const struct mpipp_vector *vector = vector_of(of, buffer);
  const void *counts = (const void *)(uintptr_t)vector->counts;
  if (!counts || peer >= vector->length) return 0;
  int small = vector->count_size == sizeof(int);
  if (small ? ((const int *)counts)[peer] <= 0 : ((const int64_t *)counts)[peer] <= 0) return 0;
  uint64_t record = buffer->record;
  if (vector->records) {
    record = ((const uint64_t *)(uintptr_t)vector->records)[peer];
  } else if (vector->datatypes) {
    const MPI_Datatype *types = (const MPI_Datatype *)(uintptr_t)vector->datatypes;
    record = (uintptr_t)mpipp_find(MPIPP_DATATYPE, MPIPP_KEY(types[peer]));
  }
  return has_bytes(record);
}

// Returns whether a buffer of any form has data.
static int has_data(const struct mpipp_call *of, const struct mpipp_buffer *buffer) {
  if (!buffer->vector) return buffer->count > 0 && has_bytes(buffer->record);
  for (uint64_t i = 0; i < vector_of(of, buffer)->length; i++)
    if (has_peer_data(of, buffer, i)) return 1;
  return 0;
}

static uint64_t flow(const struct mpipp_call *of) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < of->buffer_count; i++) {
    const struct mpipp_buffer *buffer = &of->buffers[i];
    int in_place = buffer->address == (uintptr_t)MPI_IN_PLACE;
    if (!in_place && !has_data(of, buffer)) continue;
    if (buffer->access & MPIPP_READS) bits |= MPIPP_LOG_SENDS;
    if (buffer->access & MPIPP_WRITES) bits |= MPIPP_LOG_TAKES;
  }
  return of->buffer_count ? bits : MPIPP_LOG_SENDS | MPIPP_LOG_TAKES;
}

// The buffer that has a count for each process that sends to this one; NULL if there is none.
static const struct mpipp_buffer *source_buffer(const struct mpipp_call *of) {
  for (uint32_t i = 0; i < of->buffer_count; i++)
    if (of->buffers[i].access & MPIPP_WRITES && of->buffers[i].vector) return &of->buffers[i];
  return NULL;
}

// Stores the world ranks from which this process receives data, and returns their number. Returns
// -1 if they need not be listed: all processes that may send in this procedure do, or there are too
// many.
static int sources(const struct mpipp_call *of, const struct mpipp_comm *comm, uint64_t *found) {
  const struct mpipp_buffer *some = source_buffer(of);
  const struct mpipp_facts *facts = &mpipp_facts[of->procedure];
  int edges = facts->flow == MPIPP_FLOW_EDGES;
  int among_neighbors = edges && mpipp_registry_knows_neighbors(comm);
  if (!among_neighbors && (edges || facts->signatures != MPIPP_SIGNATURES_PAIRS || !some))
    return -1;
  int64_t count = among_neighbors ? comm->indegree : (int64_t)vector_of(of, some)->length;
  int number = 0;
  for (int64_t i = 0; i < count; i++) {
    if (some && !has_peer_data(of, some, (uint64_t)i)) continue;
    int64_t rank = among_neighbors ? mpipp_registry_source(comm, (int32_t)i) : i;
    if (rank == MPI_PROC_NULL) continue;
    if (number == MOST_SOURCES) return -1;
    found[number++] = mpipp_rma_log_rank(comm, rank);
  }
  return number < count || among_neighbors ? number : -1;
}

// The world rank of the root, which may be this process; MPIPP_LOG_NOT_KNOWN if the call has no
// root in this process.
static uint64_t root_of(const struct mpipp_call *of, const struct mpipp_comm *comm) {
  if (!(of->present & MPIPP_HAS_ROOT) || of->root == MPI_PROC_NULL) return MPIPP_LOG_NOT_KNOWN;
  if (!comm->inter || of->root != MPI_ROOT) return mpipp_rma_log_rank(comm, of->root);
  const int32_t *ranks = (const int32_t *)(uintptr_t)comm->world_ranks;
  return (uint64_t)(int64_t)(ranks ? ranks[comm->rank] : comm->rank);
}

void mpipp_rma_log_collective(const struct mpipp_call *call, const struct mpipp_call *of,
                              const struct mpipp_comm *comm, uint64_t request) {
  uint64_t bits = flow(of), some[MOST_SOURCES];
  int number = bits & MPIPP_LOG_TAKES ? sources(of, comm, some) : -1;
  if (mpipp_facts[of->procedure].form == MPIPP_FORM_PERSISTENT) bits |= MPIPP_LOG_PERSISTENT;
  if (number >= 0) bits |= MPIPP_LOG_SOME;
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_COLLECTIVE, call, 5 + (number > 0 ? number : 0));
  if (!at) return;
  at[0] = comm->identity;
  at[1] = of->ordinal;
  at[2] = root_of(of, comm);
  at[3] = request;
  at[4] = bits;
  for (int i = 0; i < number; i++) at[5 + i] = some[i];
  mpipp_rma_log_end();
}
