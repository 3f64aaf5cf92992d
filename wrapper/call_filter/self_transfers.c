// SPDX-License-Identifier: MIT
#include "call_filter/self_transfers.h"

#include "abi/vendor.h"
#include "call_filter/integer_arguments.h"
#include "recorder/objects/signature_hash.h"
#include "registry/topology_neighbors.h"

enum { OF_PARTS = 400 };

// Some entries of a datatype. This struct's name must not be that of a variable in a program.
// Otherwise gdb 16 would take the struct for the type of a Fortran variable with that name.
struct mpipp_part {
  uint64_t record, handle;
  int64_t count;
};

// Finds the fingerprint of one entry, and the number of elements in all entries. Returns 0 if they
// are unknown.
static int look(struct mpipp_part part, const struct mpipp_fingerprint **entry,
                uint64_t *elements) {
  static const struct mpipp_fingerprint none = {.power = {1, 1}};
  *entry = &none;
  *elements = 0;
  if (part.count <= 0) return 1; // another check reports a negative count
  *entry = mpipp_recorder_fingerprint_of((struct mpipp_datatype *)(uintptr_t)part.record);
  return *entry && !__builtin_mul_overflow((*entry)->elements, (uint64_t)part.count, elements);
}

// Returns whether two signatures are equal if each is repeated forever. They are equal exactly if
// the concatenations of the two signatures in both orders are equal.
static int repeat_equal(const struct mpipp_fingerprint *one,
                        const struct mpipp_fingerprint *other) {
  const struct mpipp_fingerprint forth = mpipp_recorder_fingerprint_concatenate(*one, *other);
  const struct mpipp_fingerprint back = mpipp_recorder_fingerprint_concatenate(*other, *one);
  return forth.hash[0] == back.hash[0] && forth.hash[1] == back.hash[1];
}

// Returns whether the elements certainly match. exact: both have the same number of elements;
// otherwise the second may have more.
static int fits(struct mpipp_part from, struct mpipp_part to, int exact) {
  const struct mpipp_fingerprint *one, *other;
  uint64_t moved, room, alike = mpipp_equal_datatype(from.record);
  if (alike && alike == mpipp_equal_datatype(to.record) && from.count >= 0)
    return exact ? from.count == to.count : from.count <= to.count;
  if (!look(from, &one, &moved) || !look(to, &other, &room)) return 0;
  return (exact ? moved == room : moved <= room) && (!moved || repeat_equal(one, other));
}

// Adds the facts that decide whether the elements match. Returns 0.
static int doubt_parts(struct mpipp_part from, struct mpipp_part to, struct mpipp_doubt *doubt) {
  mpipp_doubt(doubt, mpipp_filter_shape_of(from.record, from.handle));
  mpipp_doubt(doubt, (uint64_t)from.count);
  mpipp_doubt(doubt, mpipp_filter_shape_of(to.record, to.handle));
  return mpipp_doubt_reason(doubt, OF_PARTS, (uint64_t)to.count);
}

static struct mpipp_part entries_of(const struct mpipp_buffer *buffer) {
  uint64_t record = buffer->access & MPIPP_STALE ? 0 : buffer->record;
  return (struct mpipp_part){record, buffer->datatype, buffer->count};
}

static const struct mpipp_buffer *remote_of(const struct mpipp_call *call) {
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    if (call->buffers[i].access & MPIPP_REMOTE) return &call->buffers[i];
  }
  return NULL;
}

int mpipp_filter_fits_target(const struct mpipp_call *call, struct mpipp_doubt *doubt) {
  const struct mpipp_buffer *remote = remote_of(call);
  if (!remote || call->target_rank == MPI_PROC_NULL) return 1;
  int takes_nothing = call->present & MPIPP_HAS_OP && call->op == MPIPP_KEY(MPI_NO_OP);
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    const struct mpipp_buffer *own = &call->buffers[i];
    int reads = (own->access & MPIPP_READS) != 0;
    if (own == remote || (reads && takes_nothing)) continue;
    struct mpipp_part from = entries_of(reads ? own : remote),
                      to = entries_of(reads ? remote : own);
    if (!fits(from, to, 0)) return doubt_parts(from, to, doubt);
  }
  return 1;
}

// Finds the part of a buffer that a process sends to itself, or receives from itself. Returns 0 if
// it is unknown.
static int own_part(const struct mpipp_call *call, const struct mpipp_buffer *buffer, int rank,
                    struct mpipp_part *own) {
  *own = entries_of(buffer);
  if (!buffer->vector) return 1;
  const struct mpipp_vector *vector = &call->vectors[buffer->vector - 1];
  if (!vector->counts || rank < 0 || (uint64_t)rank >= vector->length) return 0;
  own->count = mpipp_vector_value(vector->counts, (uint64_t)rank, vector->count_size);
  if (!vector->datatypes) return 1;
  own->handle = MPIPP_KEY(((const MPI_Datatype *)(uintptr_t)vector->datatypes)[rank]);
  own->record = (uintptr_t)mpipp_find_live(MPIPP_DATATYPE, own->handle);
  return 1;
}

static int is_own_neighbor(const struct mpipp_comm *comm) {
  if (!mpipp_registry_knows_neighbors(comm)) return 0;
  for (int32_t i = 0; i < comm->outdegree; i++) {
    if (mpipp_registry_destination(comm, i) == comm->rank) return 1;
  }
  return 0;
}

int mpipp_filter_fits_itself(const struct mpipp_call *call, const struct mpipp_comm *comm,
                             struct mpipp_doubt *doubt) {
  const struct mpipp_facts *facts = &mpipp_facts[call->procedure];
  struct mpipp_part sent, received;
  if (call->buffer_count != 2 || comm->inter) return 1;
  if (facts->signatures == MPIPP_SIGNATURES_NONE || facts->agree & MPIPP_AGREE_OP) return 1;
  if (facts->flow == MPIPP_FLOW_EDGES) {
    if (!is_own_neighbor(comm)) return 1;
    mpipp_filter_doubt_buffer(call, 0, doubt);
    mpipp_filter_doubt_buffer(call, 1, doubt);
    return mpipp_doubt_reason(doubt, OF_PARTS, 0);
  }
  for (int i = 0; i < 2; i++) {
    if (call->buffers[i].address == (uintptr_t)MPI_IN_PLACE) return 1;
  }
  // The buffers are in the order of the arguments: sendbuf, recvbuf.
  if (!own_part(call, &call->buffers[0], comm->rank, &sent) ||
      !own_part(call, &call->buffers[1], comm->rank, &received))
    return 1;
  return fits(sent, received, 1) || doubt_parts(sent, received, doubt);
}
