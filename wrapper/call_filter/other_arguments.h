// SPDX-License-Identifier: MIT
// Checks arguments other than buffers, ranks and communicators: whether they are certainly valid.
#ifndef MPIPP_CALL_FILTER_OTHER_ARGUMENTS_H
#define MPIPP_CALL_FILTER_OTHER_ARGUMENTS_H

#include "call_filter/buffer_bounds.h"
#include "registry/object_store.h"
#include "registry/registry.h"

// The arguments that need these checks: all except the arguments of plain communication.
enum {
  MPIPP_UNUSUAL = MPIPP_HAS_OP | MPIPP_HAS_WIN | MPIPP_HAS_TARGET_RANK | MPIPP_HAS_FILE |
                  MPIPP_HAS_MESSAGE | MPIPP_HAS_UNKNOWN | MPIPP_HAS_CONSTRUCTOR |
                  MPIPP_HAS_ARGUMENTS | MPIPP_HAS_AGAIN | MPIPP_HAS_GIVEN_UP | MPIPP_HAS_BUFFERED,
};
// The reasons in a doubt about a call (struct mpipp_doubt): the watcher must check this argument.
enum {
  MPIPP_OF_STATUS = 100,
  MPIPP_OF_TARGET,
  MPIPP_OF_OBJECT,
  MPIPP_OF_OP,
  MPIPP_OF_ARGUMENTS,
  MPIPP_OF_REQUEST,
  MPIPP_OF_ROOM,
  MPIPP_OF_SPLIT,
};

// The live object of a handle; NULL for a null handle, or if there is none.
static inline void *mpipp_passed_object(enum mpipp_kind kind, uint64_t handle,
                                        struct mpipp_doubt *doubt) {
  struct mpipp_object *object = mpipp_find_live(kind, handle);
  if (MPIPP_LIKELY(object && !(MPIPP_READ(object->flags) & MPIPP_FLAG_NULL))) return object;
  mpipp_doubt_reason(doubt, MPIPP_OF_OBJECT + (uint64_t)kind * 256, handle);
  return NULL;
}

// Returns whether a call that creates, commits or frees a datatype is certainly valid. doubt: may
// be NULL.
int mpipp_filter_is_fine_constructor(const struct mpipp_call *call, struct mpipp_doubt *doubt);
// Reads whether the run reports needless calls of MPI_Type_commit; then each is queried.
void mpipp_filter_commits_open(void);
int mpipp_filter_has_session(void);
// Returns whether MPI may be used. Before MPI_Init and after MPI_Finalize, this requires a session.
static inline int mpipp_is_mpi_available(void) {
  return MPIPP_LIKELY(mpipp_registry.status == MPIPP_STATUS_STARTED) || mpipp_filter_has_session();
}

int mpipp_filter_has_fine_rest(const struct mpipp_call *call, const struct mpipp_comm *comm,
                               struct mpipp_doubt *doubt);
// Returns whether the call has no target, or its target's window is known and contains the access.
int mpipp_filter_is_in_known_window(const struct mpipp_call *call, const struct mpipp_win *win);
// Returns whether the attached buffer is large enough for a message, if it is otherwise empty.
int mpipp_filter_fits_attached_buffer(const struct mpipp_call *call, struct mpipp_doubt *doubt);

#endif
