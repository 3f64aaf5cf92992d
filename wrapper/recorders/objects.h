// SPDX-License-Identifier: MIT
// The recorders: what becomes known of an object, kind by kind. All are called after the MPI call
// succeeded, on the caller's thread, inside the call (thread depth 1), without the store's lock.
#ifndef MPIPP_OBJECTS_H
#define MPIPP_OBJECTS_H

#include "mpi/vendor.h"
#include "records/records.h"

// Frees what a record owns and drops its references; with the store's lock held.
void mpipp_forget(struct mpipp_object *object);

// A constant handle: predefined, or null.
void mpipp_constant_made(enum mpipp_kind kind, uint64_t handle, const char *name, unsigned flag);
// Asks the library for its Fortran INTEGER, once it is recorded.
void mpipp_set_constant_fint(enum mpipp_kind kind, uint64_t handle);
void mpipp_named(enum mpipp_kind kind, uint64_t handle, const char *name);

// datatypes.c
// Before MPI looks at them, for the debugger.
static inline void mpipp_constructing(struct mpipp_call *call, enum mpipp_combiner combiner,
                                      const struct mpipp_input *inputs, uint32_t input_count,
                                      const MPI_Datatype *types, int64_t type_count) {
  call->combiner = combiner;
  call->inputs = (uintptr_t)inputs;
  call->input_count = input_count;
  call->types = (uintptr_t)types;
  call->type_count = type_count;
}
void mpipp_datatype_made(const struct mpipp_call *call, enum mpipp_combiner combiner, int large,
                         MPI_Datatype made, const struct mpipp_input *inputs,
                         const MPI_Datatype *components, int64_t component_count);
void mpipp_datatype_imported(uint64_t caller, MPI_Datatype datatype);
void mpipp_datatype_predefined(MPI_Datatype datatype, const char *name);
void mpipp_committed(uint64_t handle);
void mpipp_contents_taken(const struct mpipp_call *call, MPI_Datatype datatype,
                          const MPI_Datatype *taken);
// The datatypes of the call's buffers that are not known yet are imported now that MPI has
// accepted them.
void mpipp_import_datatypes(struct mpipp_call *call) MPIPP_COLD;
// With hooks, before MPI has accepted them: those of which it is certain that MPI will.
void mpipp_import_certain(struct mpipp_call *call);

// requests.c
void mpipp_request_output(uint64_t request, const void *output);
void mpipp_starting(const struct mpipp_call *call, const MPI_Request *requests, int64_t count);
void mpipp_started(const MPI_Request *requests, int64_t count);
int mpipp_not_started(const MPI_Request *requests, int64_t count, int code) MPIPP_COLD;
void mpipp_told_complete(uint64_t handle, int64_t position);
void mpipp_cancelled(uint64_t request);
void mpipp_requests_without(uint64_t comm);
// The thread has left a call that completes requests before it returned.
void mpipp_requests_left(const struct mpipp_call *call);
void mpipp_request_freed(const struct mpipp_call *call, uint64_t request);
void mpipp_partitions_ready(uint64_t request, int64_t count);
// Handles as they were before a completion call changed them.
enum { MPIPP_FEW = 32 };
struct mpipp_handles {
  MPI_Request few[MPIPP_FEW];
  MPI_Request *all; // these, if they are few, else memory of their own; NULL: there is none
};
static inline int mpipp_are_few(int64_t count) {
  return count <= MPIPP_FEW;
}
void mpipp_completed(const struct mpipp_call *call, MPI_Request before, const MPI_Request *request);
void mpipp_completed_some(const struct mpipp_call *call, const struct mpipp_handles *before,
                          int count, const int *indices, const MPI_Request *requests);

// communicators.c
void mpipp_comm_made(const struct mpipp_call *call, MPI_Comm comm);
void mpipp_comm_start(void); // MPI_COMM_WORLD and MPI_COMM_SELF, once MPI is initialised
void mpipp_group_made(const struct mpipp_call *call, MPI_Group group);
void mpipp_errhandler_set(enum mpipp_kind kind, uint64_t handle, uint64_t errhandler);

// windows.c
void mpipp_win_made(const struct mpipp_call *call, MPI_Win win, MPI_Comm comm);
void mpipp_epoch_opened(uint64_t win, unsigned epoch, uint64_t group);
enum mpipp_synchronization { MPIPP_FENCING, MPIPP_STARTING, MPIPP_COMPLETING, MPIPP_LOCKING };
void mpipp_synchronizing(uint64_t win, enum mpipp_synchronization what, uint64_t detail);
void mpipp_not_synchronized(uint64_t win);
void mpipp_epoch_closed(uint64_t win, unsigned epoch);
void mpipp_fenced(uint64_t win, int assertion);
void mpipp_locked(uint64_t win, int rank, int exclusive);
void mpipp_unlocked(uint64_t win, int rank);

// others.c
void mpipp_op_made(const struct mpipp_call *call, MPI_Op op, uint64_t function, int commute);
void mpipp_errhandler_made(const struct mpipp_call *call, MPI_Errhandler errhandler,
                           uint64_t function);
void mpipp_file_made(const struct mpipp_call *call, MPI_File file, uint64_t comm,
                     const char *filename, int amode);
void mpipp_file_view(uint64_t file, int64_t disp, uint64_t etype, uint64_t filetype,
                     const char *datarep);
void mpipp_split_begun(const struct mpipp_call *call);
void mpipp_split_ended(uint64_t file);
void mpipp_info_made(const struct mpipp_call *call, MPI_Info info);
// The entry of a key; value: NULL if it was deleted.
void mpipp_info_set(uint64_t info, const char *key, const char *value);
void mpipp_message_made(struct mpipp_call *call, MPI_Message message, const MPI_Status *status);
#ifdef MPIPP_HAVE_Session_init
void mpipp_session_made(const struct mpipp_call *call, MPI_Session session, uint64_t errhandler);
#endif

// life.c
void mpipp_initialized(void); // MPI can be asked from now on
int mpipp_is_again(unsigned procedure);
void mpipp_finalized(void);

// ending.c
void mpipp_await_end(void); // first thing after MPI_Init

#endif
