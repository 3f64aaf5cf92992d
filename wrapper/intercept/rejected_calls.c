// SPDX-License-Identifier: MIT
#include "intercept/rejected_calls.h"

#include <stdint.h>

#include "abi/mpi_symbols.h"
#include "recorder/matching/channels.h"
#include "recorder/objects/communicators.h"
#include "recorder/requests/requests.h"
#include "recorder/threads/threads.h"
#include "registry/registry.h"
#include "watcher_client/connection.h"
#include "watcher_client/error_policy.h"

// The object of a call whose error handler has to be called. If the communicator is null, there is
// no handler to call.
struct mpipp_refused_handles {
  MPI_Comm comm;
  MPI_Win win;
  MPI_File file;
  enum mpipp_kind kind;
};

static int is_usable(enum mpipp_kind kind, uint64_t handle) {
  const struct mpipp_object *object = mpipp_find_live(kind, handle);
  return object && !(object->flags & (MPIPP_FLAG_NULL | MPIPP_FLAG_ENDED));
}

// The object for errors without an object of their own (MPI-4.0, section 9.3), and for freed and
// null handles.
static struct mpipp_refused_handles comm_handles(uint64_t handle) {
  struct mpipp_refused_handles of = {MPI_COMM_NULL, MPI_WIN_NULL, MPI_FILE_NULL, MPIPP_COMM};
  if (is_usable(MPIPP_COMM, handle))
    of.comm = (MPI_Comm)(uintptr_t)handle;
  else if (mpipp_recorder_has_world)
    of.comm = mpipp_registry.standard >= 4 ? MPI_COMM_SELF : MPI_COMM_WORLD;
  return of;
}

static struct mpipp_refused_handles default_handles(void) {
  return comm_handles(MPIPP_KEY(MPI_COMM_NULL));
}

static struct mpipp_refused_handles win_handles(uint64_t handle) {
  struct mpipp_refused_handles of = default_handles();
  if (!is_usable(MPIPP_WIN, handle)) return of;
  of.win = (MPI_Win)(uintptr_t)handle;
  of.kind = MPIPP_WIN;
  return of;
}

// For a handle that is not a file, MPI uses the default error handler of files (MPI-4.1, section
// 14.7).
static struct mpipp_refused_handles file_handles(uint64_t handle) {
  struct mpipp_refused_handles of = default_handles();
  if (is_usable(MPIPP_FILE, handle)) of.file = (MPI_File)(uintptr_t)handle;
  of.kind = MPIPP_FILE;
  return of;
}

static struct mpipp_refused_handles call_handles(const struct mpipp_call *call) {
  if (call->present & MPIPP_HAS_WIN) return win_handles(call->win);
  if (call->present & MPIPP_HAS_FILE) return file_handles(call->file);
  return call->present & MPIPP_HAS_COMM ? comm_handles(call->comm) : default_handles();
}

// The object of the first operation in the call's array of requests.
static struct mpipp_refused_handles request_handles(const struct mpipp_call *call) {
  const MPI_Request *requests = (const MPI_Request *)(uintptr_t)call->requests;
  struct mpipp_refused_handles of = default_handles();
  int locked = mpipp_lock_kind(MPIPP_REQUEST);
  for (int64_t i = 0; requests && i < call->request_count; i++) {
    const struct mpipp_request *request = mpipp_find_live(MPIPP_REQUEST, MPIPP_KEY(requests[i]));
    if (!request || request->object.flags & (MPIPP_FLAG_NULL | MPIPP_FLAG_ENDED)) continue;
    of = call_handles(&request->call);
    break;
  }
  mpipp_unlock_kind(locked);
  return of;
}

static struct mpipp_refused_handles message_handles(uint64_t handle) {
  const struct mpipp_message *message = mpipp_find_live(MPIPP_MESSAGE, handle);
  return message ? comm_handles(message->comm) : default_handles();
}

static struct mpipp_refused_handles handles_of(const struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  const uint32_t on = MPIPP_HAS_WIN | MPIPP_HAS_FILE | MPIPP_HAS_COMM;
  switch (call->procedure) { // these calls pass the freed object by its address
  case MPIPP_PROC_Comm_free:
  case MPIPP_PROC_Comm_disconnect:
    return comm_handles(MPIPP_KEY(*(MPI_Comm *)passage->handle));
  case MPIPP_PROC_Win_free:
    return win_handles(MPIPP_KEY(*(MPI_Win *)passage->handle));
  case MPIPP_PROC_File_close:
    return file_handles(MPIPP_KEY(*(MPI_File *)passage->handle));
  case MPIPP_PROC_File_open:
    return file_handles(MPIPP_KEY(MPI_FILE_NULL)); // the file does not exist yet
  default:
    break;
  }
  if (call->present & on) return call_handles(call);
  if (call->present & MPIPP_HAS_MESSAGE) return message_handles(call->message);
  return call->present & MPIPP_HAS_REQUESTS ? request_handles(call) : default_handles();
}

// Returns whether the error handler is MPI_ERRORS_ARE_FATAL, or another one that ends the job.
static int is_fatal(const struct mpipp_refused_handles *of) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (of->kind == MPIPP_WIN)
    PMPI(Win_get_errhandler)(of->win, &handler);
  else if (of->kind == MPIPP_FILE)
    PMPI(File_get_errhandler)(of->file, &handler);
  else
    PMPI(Comm_get_errhandler)(of->comm, &handler);
  int fatal = handler == MPI_ERRORS_ARE_FATAL;
#ifdef MPI_ERRORS_ABORT
  fatal |= handler == MPI_ERRORS_ABORT;
#endif
  if (handler != MPI_ERRHANDLER_NULL &&
      !mpipp_registry_is_constant(MPIPP_ERRHANDLER, MPIPP_KEY(handler)))
    PMPI(Errhandler_free)(&handler);
  return fatal;
}

void mpipp_intercept_end_job(void) {
  mpipp_watcher_report_end(MPIPP_OVER_STOPPED);
  PMPI(Abort)(MPI_COMM_WORLD, 1);
}

static int has_handler(const struct mpipp_refused_handles *of) {
  return of->kind != MPIPP_COMM || of->comm != MPI_COMM_NULL;
}

static void fail(const struct mpipp_refused_handles *of, int error_class) {
  if (mpipp_watcher_on_error == MPIPP_ABORT && mpipp_recorder_has_world) mpipp_intercept_end_job();
  if (is_fatal(of)) mpipp_watcher_report_end(MPIPP_OVER_STOPPED);
  if (of->kind == MPIPP_WIN)
    PMPI(Win_call_errhandler)(of->win, error_class);
  else if (of->kind == MPIPP_COMM)
    PMPI(Comm_call_errhandler)(of->comm, error_class);
  else if (of->file != MPI_FILE_NULL || MPIPP_CALLS_HANDLER_OF_NO_FILE)
    PMPI(File_call_errhandler)(of->file, error_class);
}

int mpipp_intercept_refuse(struct mpipp_passage *passage, int error_class) {
  if (mpipp_registry.status != MPIPP_STATUS_STARTED) return MPIPP_GO_ON;
  const struct mpipp_refused_handles of = handles_of(passage);
  if (!has_handler(&of)) return MPIPP_GO_ON;
  passage->code = error_class;
  mpipp_recorder_uncount(&mpipp_recorder_self->call); // the handler may jump out of the call
  fail(&of, error_class);
  return MPIPP_DROPPED;
}

int mpipp_intercept_refuse_unrecorded(enum mpipp_kind kind, uint64_t handle, int error_class) {
  if (mpipp_registry.status != MPIPP_STATUS_STARTED) return 0;
  const struct mpipp_refused_handles of = kind == MPIPP_WIN    ? win_handles(handle)
                                          : kind == MPIPP_FILE ? file_handles(handle)
                                          : kind == MPIPP_COMM ? comm_handles(handle)
                                                               : default_handles();
  if (!has_handler(&of)) return 0;
  fail(&of, error_class);
  return 1;
}
