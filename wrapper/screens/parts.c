// SPDX-License-Identifier: MIT
#include "screens/parts.h"

#include "mpi/vendor.h"
#include "recorders/digests.h"

enum { OF_PARTS = 400 };

// So many entries of a datatype.
struct part {
  uint64_t record, handle;
  int64_t count;
};

static const struct mpipp_digest *digest_of(struct part part) {
  return mpipp_digest_of((struct mpipp_datatype *)(uintptr_t)part.record);
}

// Whether each of two signatures, repeated for ever, is the other: so it is exactly if they give
// the same in either order, one behind the other.
static int repeat_alike(const struct mpipp_digest *one, const struct mpipp_digest *other) {
  const struct mpipp_digest forth = mpipp_digest_joined(*one, *other);
  const struct mpipp_digest back = mpipp_digest_joined(*other, *one);
  return forth.hash[0] == back.hash[0] && forth.hash[1] == back.hash[1];
}

// Whether it is certain that they have the same elements, of which the second may have more.
static int fits(struct part from, struct part to) {
  uint64_t alike = mpipp_known_alike(from.record), moved, room;
  if (from.count <= 0) return 1;
  if (alike && alike == mpipp_known_alike(to.record)) return from.count <= to.count;
  const struct mpipp_digest *one = digest_of(from), *other = digest_of(to);
  if (!one || !other || to.count < 0 ||
      __builtin_mul_overflow(one->elements, (uint64_t)from.count, &moved) ||
      __builtin_mul_overflow(other->elements, (uint64_t)to.count, &room))
    return 0;
  return moved <= room && repeat_alike(one, other);
}

static int doubt_parts(struct part from, struct part to, struct mpipp_doubt *doubt) {
  mpipp_doubt(doubt, mpipp_shape_of(from.record, from.handle));
  mpipp_doubt(doubt, (uint64_t)from.count);
  mpipp_doubt(doubt, mpipp_shape_of(to.record, to.handle));
  return mpipp_doubted(doubt, OF_PARTS, (uint64_t)to.count);
}

static struct part all_of(const struct mpipp_buffer *buffer) {
  return (struct part){buffer->record, buffer->datatype, buffer->count};
}

static const struct mpipp_buffer *remote_of(const struct mpipp_call *call) {
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    if (call->buffers[i].access & MPIPP_REMOTE) return &call->buffers[i];
  }
  return NULL;
}

int mpipp_fits_target(const struct mpipp_call *call, struct mpipp_doubt *doubt) {
  const struct mpipp_buffer *remote = remote_of(call);
  if (!remote || call->target_rank == MPI_PROC_NULL) return 1;
  int takes_nothing = call->present & MPIPP_HAS_OP && call->op == MPIPP_KEY(MPI_NO_OP);
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    const struct mpipp_buffer *own = &call->buffers[i];
    int reads = (own->access & MPIPP_READS) != 0;
    if (own == remote || (reads && takes_nothing)) continue;
    struct part from = all_of(reads ? own : remote), to = all_of(reads ? remote : own);
    if (!fits(from, to)) return doubt_parts(from, to, doubt);
  }
  return 1;
}
