// SPDX-License-Identifier: MIT
#include "perturb/staging_buffers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "abi/mpi_symbols.h"
#include "perturb/random.h"
#include "recorder/objects/communicators.h"
#include "registry/object_store.h"
#include "registry/registry.h"

enum { ALIGNED = 64 };
static const int64_t most = (int64_t)1 << 30; // largest extent of the data in bytes

// The fill pattern: as numbers of any datatype the bytes are large, and they are no signaling NaN.
static const unsigned char junk[] = {0x7E, 0xFE, 0x5B, 0xDB};

static int is_plain(const struct mpipp_datatype *type) {
  return MPIPP_READ(type->object.flags) & MPIPP_FLAG_PREDEFINED && type->true_lb == 0 &&
         type->lb == 0 && type->size == type->extent && type->true_extent == type->extent;
}

// For datatypes with gaps MPI copies the data, because it knows the layout best. The stage gets a
// datatype of its own, because the program may free the original. MPI_Type_dup would call the
// program's attribute callbacks.
static int keep_type(struct mpipp_stage *stage, int64_t bytes) {
  if (!mpipp_recorder_has_world) return 0; // the copies need MPI_COMM_SELF
  stage->bytes = (size_t)bytes;
  if (PMPI(Type_commit)(&stage->type) != MPI_SUCCESS ||
      PMPI(Pack_size)(1, stage->type, MPI_COMM_SELF, &stage->packed_size) != MPI_SUCCESS)
    return 0;
  return (stage->packed = malloc((size_t)stage->packed_size)) != NULL;
}

static int keep_entries(struct mpipp_stage *stage, const struct mpipp_buffer *buffer,
                        int64_t count) {
  const struct mpipp_datatype *type = (const void *)(uintptr_t)buffer->record;
  int64_t bytes;
  if (__builtin_mul_overflow(type->size, count, &bytes) || bytes > INT_MAX || count > INT_MAX)
    return 0;
  if (PMPI(Type_contiguous)((int)count, (MPI_Datatype)(uintptr_t)buffer->datatype, &stage->type) !=
      MPI_SUCCESS)
    return 0;
  return keep_type(stage, bytes);
}

static void copy(const struct mpipp_stage *stage, void *to, const void *from) {
  int packed = 0, unpacked = 0;
  if (stage->type == MPI_DATATYPE_NULL) {
    memcpy(to, from, stage->bytes);
    return;
  }
  PMPI(Pack)(from, 1, stage->type, stage->packed, stage->packed_size, &packed, MPI_COMM_SELF);
  PMPI(Unpack)(stage->packed, packed, &unpacked, to, 1, stage->type, MPI_COMM_SELF);
}

static void drop(struct mpipp_stage *stage) {
  if (stage->type != MPI_DATATYPE_NULL) PMPI(Type_free)(&stage->type);
  free(stage->packed);
  free(stage->room);
  free(stage);
}

// The number of bytes from the first to the last; 0 if there are none, or it is unknown.
static int64_t span(const struct mpipp_buffer *buffer, int64_t count) {
  const struct mpipp_datatype *type = (const void *)(uintptr_t)buffer->record;
  int64_t found;
  if (count <= 0 || type->size <= 0 || type->extent < 0 || type->true_extent <= 0) return 0;
  if (!(MPIPP_READ(type->object.flags) & (MPIPP_FLAG_PREDEFINED | MPIPP_FLAG_COMMITTED))) return 0;
  if (__builtin_mul_overflow(count - 1, type->extent, &found)) return 0;
  return found > most || type->true_extent > most - found ? 0 : found + type->true_extent;
}

static int is_usable(const struct mpipp_datatype *type) {
  return type && MPIPP_READ(type->object.flags) & (MPIPP_FLAG_PREDEFINED | MPIPP_FLAG_COMMITTED) &&
         !(type->object.flags & MPIPP_FLAG_NULL);
}

static int64_t number(uint64_t array, uint64_t i, uint32_t size) {
  return size == sizeof(int32_t) ? ((const int32_t *)(uintptr_t)array)[i]
                                 : ((const int64_t *)(uintptr_t)array)[i];
}

struct mpipp_blocks {
  int count;
  int64_t bytes;
  int *lengths;
  MPI_Aint *displacements;
  MPI_Datatype *types;
};

// Adds a peer's share. Returns 0 if its datatype is not known well enough.
static int add_share(struct mpipp_blocks *blocks, const struct mpipp_vector *vector,
                     const struct mpipp_buffer *buffer, uint64_t i) {
  const MPI_Datatype *types = (const MPI_Datatype *)(uintptr_t)vector->datatypes;
  int64_t length = number(vector->counts, i, vector->count_size);
  int64_t at = number(vector->displacements, i, vector->displacement_size), bytes;
  uint64_t handle = types ? MPIPP_KEY(types[i]) : buffer->datatype;
  if (length == 0) return 1;
  const struct mpipp_datatype *type = mpipp_find_live(MPIPP_DATATYPE, handle);
  if (length < 0 || length > INT_MAX || !is_usable(type)) return 0;
  if (!types && __builtin_mul_overflow(at, type->extent, &at)) return 0;
  if (__builtin_mul_overflow(length, type->size, &bytes) ||
      __builtin_add_overflow(blocks->bytes, bytes, &blocks->bytes) || blocks->bytes > INT_MAX)
    return 0;
  if (!bytes) return 1;
  blocks->lengths[blocks->count] = (int)length;
  blocks->displacements[blocks->count] = (MPI_Aint)at;
  blocks->types[blocks->count++] = (MPI_Datatype)(uintptr_t)handle;
  return 1;
}

// Describes all shares of a v or w form by one datatype.
static int keep_shares(struct mpipp_stage *stage, const struct mpipp_vector *vector,
                       const struct mpipp_buffer *buffer) {
  size_t room = vector->length;
  struct mpipp_blocks blocks = {.lengths = malloc(room * sizeof(int)),
                                .displacements = malloc(room * sizeof(MPI_Aint)),
                                .types = malloc(room * sizeof(MPI_Datatype))};
  int fine = blocks.lengths && blocks.displacements && blocks.types && room <= INT_MAX;
  for (uint64_t i = 0; fine && i < vector->length; i++)
    fine = add_share(&blocks, vector, buffer, i);
  fine = fine && blocks.count &&
         PMPI(Type_create_struct)(blocks.count, blocks.lengths, blocks.displacements, blocks.types,
                                  &stage->type) == MPI_SUCCESS;
  free(blocks.lengths);
  free(blocks.displacements);
  free(blocks.types);
  return fine && keep_type(stage, blocks.bytes);
}

// The number of bytes from the first to the last, and in stage->target the address of the first.
static int64_t data_span(struct mpipp_stage *stage, const struct mpipp_call *call,
                         const struct mpipp_buffer *buffer, int64_t *low) {
  const struct mpipp_datatype *type = (const void *)(uintptr_t)buffer->record;
  int64_t count = buffer->count, bytes;
  if (buffer->vector) {
    const struct mpipp_vector *vector = &call->vectors[buffer->vector - 1];
    MPI_Aint first, extent;
    if (!vector->counts || !vector->displacements || !keep_shares(stage, vector, buffer) ||
        PMPI(Type_get_true_extent)(stage->type, &first, &extent) != MPI_SUCCESS)
      return 0;
    *low = (int64_t)first;
    return extent > most ? 0 : (int64_t)extent;
  }
  if (!type || __builtin_mul_overflow(count, buffer->peers, &count)) return 0;
  *low = type->true_lb;
  bytes = span(buffer, count);
  stage->bytes = (size_t)bytes;
  return bytes && (is_plain(type) || keep_entries(stage, buffer, count)) ? bytes : 0;
}

struct mpipp_stage *mpipp_perturb_stage_new(const struct mpipp_call *call, uint32_t which,
                                            uint64_t address) {
  const struct mpipp_buffer *buffer = &call->buffers[which];
  int64_t low = 0;
  if (buffer->access & (MPIPP_REMOTE | MPIPP_STALE) || !address ||
      address == (uintptr_t)MPI_BOTTOM || address == (uintptr_t)MPI_IN_PLACE)
    return NULL;
  struct mpipp_stage *stage = calloc(1, sizeof *stage);
  if (!stage) return NULL;
  stage->type = MPI_DATATYPE_NULL;
  stage->target = (void *)(uintptr_t)address;
  int64_t bytes = data_span(stage, call, buffer, &low);
  if (bytes) stage->room = malloc((size_t)bytes + 2 * ALIGNED);
  if (!stage->room) {
    drop(stage);
    return NULL;
  }
  uint64_t first = address + (uint64_t)low, room = (uintptr_t)stage->room;
  uint64_t aligned = (room + ALIGNED - 1) / ALIGNED * ALIGNED + first % ALIGNED;
  stage->memory = (void *)(uintptr_t)(aligned - (uint64_t)low);
  return stage;
}

void mpipp_perturb_stages_take(const struct mpipp_stage *stage) {
  for (; stage; stage = stage->next) copy(stage, stage->memory, stage->target);
}

void mpipp_perturb_stage_spoil(const struct mpipp_stage *stage) {
  int byte = junk[mpipp_perturb_chance(sizeof junk)], position = 0;
  if (stage->type == MPI_DATATYPE_NULL) {
    memset(stage->target, byte, stage->bytes);
    return;
  }
  memset(stage->packed, byte, (size_t)stage->packed_size);
  PMPI(Unpack)
  (stage->packed, stage->packed_size, &position, stage->target, 1, stage->type, MPI_COMM_SELF);
}

void mpipp_perturb_stages_drop(struct mpipp_stage *stage) {
  while (stage) {
    struct mpipp_stage *next = stage->next;
    drop(stage);
    stage = next;
  }
}

void mpipp_perturb_stages_give(const struct mpipp_stage *stage) {
  for (; stage; stage = stage->next) copy(stage, stage->target, stage->memory);
}

void mpipp_perturb_stages_end(struct mpipp_stage *stage) {
  mpipp_perturb_stages_give(stage);
  mpipp_perturb_stages_drop(stage);
}
