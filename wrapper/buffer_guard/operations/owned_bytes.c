// SPDX-License-Identifier: MIT
#include "buffer_guard/operations/owned_bytes.h"

#include <stddef.h>

#include "abi/vendor.h"
#include "buffer_guard/platform/allocator.h"
#include "generated/facts.h"
#include "registry/object_store.h"

static const struct mpipp_comm *comm_of(const struct mpipp_call *call) {
  return call->present & MPIPP_HAS_COMM ? mpipp_find_live(MPIPP_COMM, call->comm) : NULL;
}

static int is_proc_null(const struct mpipp_call *call, uint32_t has, int64_t rank) {
  return !(call->present & has) || rank == MPI_PROC_NULL;
}

// Returns whether the call has a peer for that side: nothing is sent to MPI_PROC_NULL or received
// from it.
static int has_peer(const struct mpipp_call *call, uint32_t access) {
  const uint32_t any = MPIPP_HAS_DEST | MPIPP_HAS_SOURCE | MPIPP_HAS_TARGET_RANK;
  if (call->present & MPIPP_HAS_MESSAGE && call->message == MPIPP_KEY(MPI_MESSAGE_NO_PROC))
    return 0;
  if (!(call->present & any)) return 1;
  if (!is_proc_null(call, MPIPP_HAS_TARGET_RANK, call->target_rank)) return 1;
  return (access & MPIPP_READS && !is_proc_null(call, MPIPP_HAS_DEST, call->dest)) ||
         (access & MPIPP_WRITES && !is_proc_null(call, MPIPP_HAS_SOURCE, call->source));
}

// Returns whether MPI_NO_OP makes MPI ignore the buffer.
static int is_ignored(const struct mpipp_call *call, uint32_t access) {
  return call->present & MPIPP_HAS_WIN && call->present & MPIPP_HAS_OP && access & MPIPP_READS &&
         call->op == MPIPP_KEY(MPI_NO_OP);
}

// In an exclusive scan, the first process receives nothing.
static int has_no_input(const struct mpipp_call *call, uint32_t access) {
  if (mpipp_facts[call->procedure].operation != MPIPP_PROC_Exscan || !(access & MPIPP_WRITES))
    return 0;
  const struct mpipp_comm *comm = comm_of(call);
  return !comm || comm->rank == 0;
}

int mpipp_guard_uses_buffer(const struct mpipp_call *call, uint32_t index) {
  const struct mpipp_buffer *buffer = &call->buffers[index];
  const struct mpipp_datatype *type = (const struct mpipp_datatype *)(uintptr_t)buffer->record;
  if (buffer->access & MPIPP_REMOTE || buffer->address == (uintptr_t)MPI_IN_PLACE) return 0;
  if (!buffer->vector && (buffer->count < 1 || buffer->peers < 1 || (type && !type->size)))
    return 0;
  return has_peer(call, buffer->access) && !has_no_input(call, buffer->access) &&
         !is_ignored(call, buffer->access);
}

static int64_t element(uint64_t array, uint64_t index, uint32_t size) {
  return size == sizeof(int32_t) ? ((const int32_t *)(uintptr_t)array)[index]
                                 : ((const int64_t *)(uintptr_t)array)[index];
}

// Returns whether a share belongs to no process. A process grid has two neighbors in each
// dimension, and those beyond its border are MPI_PROC_NULL.
static int is_absent(const struct mpipp_comm *comm, uint64_t share) {
  const int32_t *dims = (const int32_t *)(uintptr_t)comm->dims;
  const int32_t *periods = (const int32_t *)(uintptr_t)comm->periods;
  const int32_t *coords = (const int32_t *)(uintptr_t)comm->coords;
  uint64_t dimension = share / 2;
  return !periods[dimension] && coords[dimension] == (share % 2 ? dims[dimension] - 1 : 0);
}

static const struct mpipp_comm *grid_of(const struct mpipp_call *call) {
  const struct mpipp_comm *comm = comm_of(call);
  int neighbors = mpipp_facts[call->procedure].flow == MPIPP_FLOW_EDGES;
  return neighbors && comm && comm->topology == MPIPP_TOPO_CART && comm->dims ? comm : NULL;
}

// One peer's share of a buffer, as a buffer of its own.
static struct mpipp_buffer share_of(const struct mpipp_call *call,
                                    const struct mpipp_buffer *buffer, uint64_t index) {
  struct mpipp_buffer share = *buffer;
  const struct mpipp_datatype *type = (const struct mpipp_datatype *)(uintptr_t)share.record;
  int64_t displacement = (int64_t)index * share.count;
  share.peers = 1;
  share.vector = 0;
  if (buffer->vector) {
    const struct mpipp_vector *vector = &call->vectors[buffer->vector - 1];
    const MPI_Datatype *types = (const MPI_Datatype *)(uintptr_t)vector->datatypes;
    if (types) type = mpipp_find_live(MPIPP_DATATYPE, MPIPP_KEY(types[index]));
    share.record = (uintptr_t)type;
    share.count = element(vector->counts, index, vector->count_size);
    displacement = element(vector->displacements, index, vector->displacement_size);
    if (types) {
      share.address += (uint64_t)displacement;
      return share;
    }
  }
  if (type) share.address += (uint64_t)(displacement * type->extent);
  return share;
}

// Joins two sets of strided blocks to one, if `more` continues all of them, their first or their
// last. Returns 0 if that is not possible.
static int join(struct mpipp_strided_blocks *strided, const struct mpipp_strided_blocks *more) {
  if (!strided->count) {
    *strided = *more;
    return 1;
  }
  const struct mpipp_strided_blocks *first = strided->start < more->start ? strided : more;
  const struct mpipp_strided_blocks *second = first == strided ? more : strided;
  uint64_t distance = second->start - first->start, start = first->start;
  if (first->count == 1 && second->count == 1 && distance == first->length) {
    uint64_t length = first->length + second->length;
    *strided = (struct mpipp_strided_blocks){start, length, length, 1};
    return 1;
  }
  uint64_t stride = first->count > 1    ? first->stride
                    : second->count > 1 ? second->stride
                                        : distance;
  if (first->length != second->length || stride < first->length) return 0;
  if (distance != first->count * stride || (second->count > 1 && second->stride != stride))
    return 0;
  *strided =
      (struct mpipp_strided_blocks){start, first->length, stride, first->count + second->count};
  return 1;
}

static int join_shares(const struct mpipp_call *call, const struct mpipp_buffer *buffer,
                       const struct mpipp_comm *grid, struct mpipp_strided_blocks *strided) {
  uint64_t count = (uint64_t)buffer->peers;
  if (buffer->vector) {
    const struct mpipp_vector *vector = &call->vectors[buffer->vector - 1];
    if (!vector->counts || !vector->displacements) return 0;
    count = vector->length;
  }
  strided->count = 0;
  for (uint64_t i = 0; i < count; i++) {
    if (grid && (int64_t)i < 2 * (int64_t)grid->ndims && is_absent(grid, i)) continue;
    struct mpipp_buffer share = share_of(call, buffer, i);
    const struct mpipp_datatype *type = (const struct mpipp_datatype *)(uintptr_t)share.record;
    struct mpipp_strided_blocks more;
    if (share.count == 0 || (type && type->size == 0)) continue;
    if (!mpipp_layout_strided_blocks_of(&share, &more) || !join(strided, &more)) return 0;
  }
  return strided->count > 0;
}

int mpipp_guard_strided_blocks_of_call(const struct mpipp_call *call, uint32_t index,
                                       struct mpipp_strided_blocks *strided) {
  const struct mpipp_buffer *buffer = &call->buffers[index];
  const struct mpipp_comm *grid = grid_of(call);
  if (buffer->access & MPIPP_STALE) return 0;
  if (buffer->vector || grid) return join_shares(call, buffer, grid, strided);
  struct mpipp_buffer all = *buffer;
  if (__builtin_mul_overflow(all.count, all.peers, &all.count)) return 0;
  all.peers = 1;
  return mpipp_layout_strided_blocks_of(&all, strided);
}

// Adds the blocks of all shares, one share after another.
static int list_shares(const struct mpipp_call *call, const struct mpipp_buffer *buffer,
                       const struct mpipp_comm *grid, struct mpipp_layout *layout) {
  uint64_t count = (uint64_t)buffer->peers;
  if (buffer->vector) {
    const struct mpipp_vector *vector = &call->vectors[buffer->vector - 1];
    if (!vector->counts || !vector->displacements) return 0;
    count = vector->length;
  }
  for (uint64_t i = 0; i < count; i++) {
    if (grid && (int64_t)i < 2 * (int64_t)grid->ndims && is_absent(grid, i)) continue;
    struct mpipp_buffer share = share_of(call, buffer, i);
    const struct mpipp_datatype *type = (const struct mpipp_datatype *)(uintptr_t)share.record;
    if (!mpipp_layout_add(layout, type, share.address, share.count)) return 0;
  }
  return layout->count > 0;
}

int mpipp_guard_bytes_of_call(const struct mpipp_call *call, uint32_t index,
                              struct mpipp_bytes *bytes) {
  enum { MOST_BLOCKS = 4096 };
  const struct mpipp_buffer *buffer = &call->buffers[index];
  const struct mpipp_datatype *type = (const struct mpipp_datatype *)(uintptr_t)buffer->record;
  const struct mpipp_comm *grid = grid_of(call);
  struct mpipp_strided_blocks strided;
  int64_t count;
  if (mpipp_guard_strided_blocks_of_call(call, index, &strided)) {
    *bytes = mpipp_guard_bytes_of_strided_blocks(&strided);
    return 1;
  }
  if (buffer->access & MPIPP_STALE) return 0;
  if (!buffer->vector && !grid) {
    if (!type || __builtin_mul_overflow(buffer->count, buffer->peers, &count)) return 0;
    return mpipp_guard_bytes_of_entries(type, buffer->address, count, bytes);
  }
  struct mpipp_layout *layout = mpipp_guard_allocate(mpipp_layout_bytes(MOST_BLOCKS));
  if (!layout) return 0;
  mpipp_layout_open(layout, MOST_BLOCKS);
  if (list_shares(call, buffer, grid, layout)) return mpipp_guard_bytes_of_layout(layout, bytes);
  mpipp_guard_free(layout);
  return 0;
}

int mpipp_guard_bytes_of_share(const struct mpipp_call *call, uint32_t index, uint64_t share,
                               struct mpipp_bytes *bytes) {
  const struct mpipp_buffer part = share_of(call, &call->buffers[index], share);
  const struct mpipp_datatype *type = (const struct mpipp_datatype *)(uintptr_t)part.record;
  struct mpipp_strided_blocks strided;
  if (part.access & MPIPP_STALE || part.count < 1) return 0;
  if (!mpipp_layout_strided_blocks_of(&part, &strided))
    return type && mpipp_guard_bytes_of_entries(type, part.address, part.count, bytes);
  *bytes = mpipp_guard_bytes_of_strided_blocks(&strided);
  return 1;
}
