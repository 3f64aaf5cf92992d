// SPDX-License-Identifier: MIT
#include "provoke/stages.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/resolve.h"
#include "provoke/chance.h"
#include "records/registry.h"
#include "records/store.h"

enum { ALIGNED = 64 };
static const int64_t most = (int64_t)1 << 30; // bytes from the first to the last

// Numbers that are large and no error to compute with, of any type.
static const unsigned char junk[] = {0x7E, 0xFE, 0x5B, 0xDB};

static int is_plain(const struct mpipp_datatype *type) {
  return MPIPP_READ(type->object.flags) & MPIPP_FLAG_PREDEFINED && type->true_lb == 0 &&
         type->lb == 0 && type->size == type->extent && type->true_extent == type->extent;
}

// MPI copies the data of other types: it knows best where they are. The type is kept, whatever the
// program does to its own; MPI_Type_dup would call the program's functions.
static int keep_type(struct mpipp_stage *stage, const struct mpipp_buffer *buffer, int64_t count) {
  const struct mpipp_datatype *type = (const void *)(uintptr_t)buffer->record;
  int64_t bytes;
  if (mpipp_registry.world_rank < 0) return 0; // without MPI_COMM_SELF
  if (__builtin_mul_overflow(type->size, count, &bytes) || bytes > INT_MAX || count > INT_MAX)
    return 0;
  if (PMPI(Type_contiguous)((int)count, (MPI_Datatype)(uintptr_t)buffer->datatype, &stage->type) !=
      MPI_SUCCESS)
    return 0;
  stage->bytes = (size_t)bytes;
  if (PMPI(Type_commit)(&stage->type) != MPI_SUCCESS ||
      PMPI(Pack_size)(1, stage->type, MPI_COMM_SELF, &stage->packed_size) != MPI_SUCCESS)
    return 0;
  return (stage->packed = malloc((size_t)stage->packed_size)) != NULL;
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

// Bytes from the first to the last one; 0 if there are none, or they are not to be known.
static int64_t span(const struct mpipp_buffer *buffer, int64_t count) {
  const struct mpipp_datatype *type = (const void *)(uintptr_t)buffer->record;
  int64_t found;
  if (count <= 0 || type->size <= 0 || type->extent < 0 || type->true_extent <= 0) return 0;
  if (!(MPIPP_READ(type->object.flags) & (MPIPP_FLAG_PREDEFINED | MPIPP_FLAG_COMMITTED))) return 0;
  if (__builtin_mul_overflow(count - 1, type->extent, &found)) return 0;
  return found > most || type->true_extent > most - found ? 0 : found + type->true_extent;
}

struct mpipp_stage *mpipp_stage_new(const struct mpipp_buffer *buffer, uint64_t address) {
  const struct mpipp_datatype *type = (const void *)(uintptr_t)buffer->record;
  int64_t count = buffer->count;
  if (!type || buffer->vector || buffer->access & (MPIPP_REMOTE | MPIPP_STALE) || !address ||
      address == (uintptr_t)MPI_BOTTOM || address == (uintptr_t)MPI_IN_PLACE)
    return NULL;
  if (__builtin_mul_overflow(count, buffer->peers, &count)) return NULL;
  int64_t bytes = span(buffer, count);
  struct mpipp_stage *stage = bytes ? calloc(1, sizeof *stage) : NULL;
  if (!stage) return NULL;
  stage->type = MPI_DATATYPE_NULL;
  stage->target = (void *)(uintptr_t)address;
  stage->bytes = (size_t)bytes;
  stage->room = malloc((size_t)bytes + 2 * ALIGNED);
  if (!stage->room || (!is_plain(type) && !keep_type(stage, buffer, count))) {
    drop(stage);
    return NULL;
  }
  uint64_t first = address + (uint64_t)type->true_lb, room = (uintptr_t)stage->room;
  uint64_t aligned = (room + ALIGNED - 1) / ALIGNED * ALIGNED + first % ALIGNED;
  stage->memory = (void *)(uintptr_t)(aligned - (uint64_t)type->true_lb);
  copy(stage, stage->memory, stage->target);
  return stage;
}

void mpipp_stage_spoil(const struct mpipp_stage *stage) {
  int byte = junk[mpipp_chance(sizeof junk)], position = 0;
  if (stage->type == MPI_DATATYPE_NULL) {
    memset(stage->target, byte, stage->bytes);
    return;
  }
  memset(stage->packed, byte, (size_t)stage->packed_size);
  PMPI(Unpack)
  (stage->packed, stage->packed_size, &position, stage->target, 1, stage->type, MPI_COMM_SELF);
}

void mpipp_stages_drop(struct mpipp_stage *stage) {
  while (stage) {
    struct mpipp_stage *next = stage->next;
    drop(stage);
    stage = next;
  }
}

void mpipp_stages_end(struct mpipp_stage *stage) {
  for (const struct mpipp_stage *each = stage; each; each = each->next)
    copy(each, each->target, each->memory);
  mpipp_stages_drop(stage);
}
