// SPDX-License-Identifier: MIT
#include "recorders/attached.h"

#include <stddef.h>

#include "mpi/resolve.h"
#include "records/registry.h"
#include "records/store.h"

static int is_automatic(const void *buffer) {
#ifdef MPI_BUFFER_AUTOMATIC
  return buffer == MPI_BUFFER_AUTOMATIC;
#else
  (void)buffer;
  return 0;
#endif
}

struct mpipp_attachment *mpipp_attachment_of(const struct mpipp_call *call) {
  if (!(call->present & MPIPP_HAS_COMM)) return &mpipp_registry.attached;
  struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, call->comm);
  return comm ? &comm->attached : NULL;
}

const struct mpipp_attachment *mpipp_attached_for(const struct mpipp_call *call) {
  const struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, call->comm);
  if (!comm) return NULL;
  const struct mpipp_attachment *found = &comm->attached;
  if (MPIPP_READ(found->state) == MPIPP_NOT_ATTACHED) {
    // Which communicators are of that session is not recorded.
    if (mpipp_registry.of_sessions && !(comm->object.flags & MPIPP_FLAG_PREDEFINED)) return NULL;
    found = &mpipp_registry.attached;
  }
  return MPIPP_READ(found->state) == MPIPP_ATTACHED_UNKNOWN ? NULL : found;
}

// It is not the call's any more: it must not be seen to attach what is attached.
static struct mpipp_attachment *changed_by(struct mpipp_call *call) {
  MPIPP_WRITE(call->present, call->present & ~(uint32_t)MPIPP_HAS_ARGUMENTS);
  return mpipp_attachment_of(call);
}

void mpipp_attached(struct mpipp_call *call, const void *buffer, int64_t size) {
  struct mpipp_attachment *attached = changed_by(call);
  if (!attached) return;
  attached->address = (uintptr_t)buffer;
  attached->size = size;
  attached->caller = mpipp_outside_mpi(call->caller);
  uint64_t state = is_automatic(buffer) ? MPIPP_ATTACHED_AUTOMATIC : MPIPP_ATTACHED;
  __atomic_store_n(&attached->state, state, __ATOMIC_RELEASE);
}

void mpipp_detached(struct mpipp_call *call) {
  struct mpipp_attachment *attached = changed_by(call);
  if (attached) __atomic_store_n(&attached->state, MPIPP_NOT_ATTACHED, __ATOMIC_RELEASE);
}

void mpipp_attached_to_session(void) {
  MPIPP_WRITE(mpipp_registry.of_sessions, 1);
}

void mpipp_attached_unseen(void) {
  MPIPP_WRITE(mpipp_registry.attached.state, MPIPP_ATTACHED_UNKNOWN);
}
