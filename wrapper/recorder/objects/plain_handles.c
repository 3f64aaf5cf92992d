// SPDX-License-Identifier: MIT
#include "recorder/objects/plain_handles.h"

#include "abi/mpi_symbols.h"
#include "recorder/matching/channels.h"
#include "recorder/objects/communicators.h"
#include "registry/object_store.h"

void mpipp_recorder_add_op(const struct mpipp_call *call, MPI_Op op, uint64_t function,
                           int commute) {
  struct mpipp_op *record = mpipp_registry_claim(MPIPP_OP, MPIPP_KEY(op), call->caller);
  if (!record) return;
  record->object.fint = MPIPP_FINT(Op, op);
  record->function = function;
  record->commute = commute;
  mpipp_registry_publish(record);
}

void mpipp_recorder_add_errhandler(const struct mpipp_call *call, MPI_Errhandler errhandler,
                                   uint64_t function) {
  uint64_t handle = MPIPP_KEY(errhandler);
  if (errhandler == MPI_ERRHANDLER_NULL || mpipp_registry_is_constant(MPIPP_ERRHANDLER, handle))
    return;
  if (!function && mpipp_registry_add_handle(MPIPP_ERRHANDLER, handle))
    return; // a reference to an existing error handler, which MPI_X_get_errhandler returns
  struct mpipp_errhandler *record = mpipp_registry_claim(MPIPP_ERRHANDLER, handle, call->caller);
  if (!record) return;
  record->object.fint = MPIPP_FINT(Errhandler, errhandler);
  record->function = function;
  mpipp_registry_publish(record);
}

void mpipp_recorder_add_message(struct mpipp_call *call, MPI_Message message,
                                const MPI_Status *status) {
  call->ordinal = 0; // the call no longer waits for a message
  call->present |= MPIPP_HAS_ORDINAL;
  uint64_t handle = MPIPP_KEY(message);
  const struct mpipp_object *old = mpipp_find_live(MPIPP_MESSAGE, handle);
  if (message == MPI_MESSAGE_NULL || (old && MPIPP_READ(old->flags) & MPIPP_FLAG_PREDEFINED))
    return;
  struct mpipp_message *record = mpipp_registry_claim(MPIPP_MESSAGE, handle, call->caller);
  if (!record) return;
  int known = status != MPI_STATUS_IGNORE;
  record->object.fint = MPIPP_FINT(Message, message);
  record->comm = call->comm;
  record->source = known ? status->MPI_SOURCE : call->source;
  record->tag = known ? status->MPI_TAG : call->tag;
  record->ordinal = mpipp_recorder_match_probe(call, (int)record->source, (int)record->tag);
  mpipp_registry_publish(record);
}

#ifdef MPIPP_HAVE_Session_init
void mpipp_recorder_add_session(const struct mpipp_call *call, MPI_Session session,
                                uint64_t errhandler) {
  struct mpipp_session *record =
      mpipp_registry_claim(MPIPP_SESSION, MPIPP_KEY(session), call->caller);
  if (!record) return;
  record->errhandler = errhandler;
  mpipp_registry_publish(record);
  mpipp_recorder_session_world(MPIPP_KEY(session));
}
#endif

void mpipp_recorder_set_errhandler(enum mpipp_kind kind, uint64_t handle, uint64_t errhandler) {
  if (kind == MPIPP_COMM) {
    struct mpipp_comm *record = mpipp_registry_lock_live(kind, handle);
    if (record) record->errhandler = errhandler;
    mpipp_registry_unlock();
  } else if (kind == MPIPP_SESSION) {
    struct mpipp_session *record = mpipp_registry_lock_live(kind, handle);
    if (record) record->errhandler = errhandler;
    mpipp_registry_unlock();
  }
}
