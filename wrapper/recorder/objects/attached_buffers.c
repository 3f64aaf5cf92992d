// SPDX-License-Identifier: MIT
#include "recorder/objects/attached_buffers.h"

#include <stddef.h>

#include "abi/mpi_symbols.h"
#include "registry/object_store.h"
#include "registry/registry.h"

static int is_automatic(const void *buffer) {
#ifdef MPI_BUFFER_AUTOMATIC
  return buffer == MPI_BUFFER_AUTOMATIC;
#else
  (void)buffer;
  return 0;
#endif
}

struct mpipp_attachment *mpipp_recorder_attachment_of(const struct mpipp_call *call) {
  if (!(call->present & MPIPP_HAS_COMM)) return &mpipp_registry.attached;
  struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, call->comm);
  return comm ? &comm->attached : NULL;
}

const struct mpipp_attachment *mpipp_recorder_attachment_for(const struct mpipp_call *call) {
  const struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, call->comm);
  if (!comm) return NULL;
  const struct mpipp_attachment *found = &comm->attached;
  if (MPIPP_READ(found->state) == MPIPP_NOT_ATTACHED) {
    // mpipp does not record which communicators belong to a session.
    if (mpipp_registry.of_sessions && !(comm->object.flags & MPIPP_FLAG_PREDEFINED)) return NULL;
    found = &mpipp_registry.attached;
  }
  return MPIPP_READ(found->state) == MPIPP_ATTACHED_UNKNOWN ? NULL : found;
}

// Moves the new state from the call's record to the attachment, so that a reader does not see the
// buffer attached twice.
static struct mpipp_attachment *changed_attachment(struct mpipp_call *call) {
  MPIPP_WRITE(call->present, call->present & ~(uint32_t)MPIPP_HAS_ARGUMENTS);
  return mpipp_recorder_attachment_of(call);
}

void mpipp_recorder_attach(struct mpipp_call *call, const void *buffer, int64_t size) {
  struct mpipp_attachment *attached = changed_attachment(call);
  if (!attached) return;
  attached->address = (uintptr_t)buffer;
  attached->size = size;
  attached->caller = mpipp_outside_mpi(call->caller);
  uint64_t state = is_automatic(buffer) ? MPIPP_ATTACHED_AUTOMATIC : MPIPP_ATTACHED;
  __atomic_store_n(&attached->state, state, __ATOMIC_RELEASE);
}

void mpipp_recorder_detach(struct mpipp_call *call) {
  struct mpipp_attachment *attached = changed_attachment(call);
  if (attached) __atomic_store_n(&attached->state, MPIPP_NOT_ATTACHED, __ATOMIC_RELEASE);
}

int64_t mpipp_recorder_buffered_bytes(const struct mpipp_call *call) {
  const struct mpipp_buffer *buffer = &call->buffers[0];
  const struct mpipp_datatype *type = (const void *)(uintptr_t)buffer->record;
  int64_t bytes;
  if (!type || buffer->count <= 0 || type->size <= 0 || call->dest == MPI_PROC_NULL) return 0;
  if (__builtin_mul_overflow(buffer->count, type->size, &bytes) ||
      __builtin_add_overflow(bytes, MPI_BSEND_OVERHEAD, &bytes))
    return INT64_MAX;
  return bytes;
}

// With several threads nothing is counted, because another thread may know that a message was
// received.
void mpipp_recorder_note_buffered_send(const struct mpipp_call *call) {
  struct mpipp_attachment *attached = (void *)mpipp_recorder_attachment_for(call);
  if (!attached || MPIPP_READ(mpipp_registry_several_threads)) return;
  int follows = attached->last + 1 == call->serial;
  int64_t bytes = mpipp_recorder_buffered_bytes(call);
  if (!bytes) {
    if (follows) MPIPP_WRITE(attached->last, call->serial);
    return;
  }
  MPIPP_WRITE(attached->last, 0);
  if (!follows) attached->used = attached->messages = 0;
  if (!follows) attached->since = mpipp_outside_mpi(call->caller);
  if (__builtin_add_overflow(attached->used, bytes, &attached->used)) attached->used = INT64_MAX;
  attached->messages++;
  __atomic_store_n(&attached->last, call->serial, __ATOMIC_RELEASE);
}

void mpipp_recorder_attach_to_session(void) {
  MPIPP_WRITE(mpipp_registry.of_sessions, 1);
}

void mpipp_recorder_distrust_attachments(void) {
  MPIPP_WRITE(mpipp_registry.attached.state, MPIPP_ATTACHED_UNKNOWN);
}
