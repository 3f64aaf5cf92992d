// SPDX-License-Identifier: MIT
#include "recorder/returned_codes.h"

#include <errno.h>
#include <string.h>

#include "abi/mpi_symbols.h"
#include "recorder/threads/threads.h"
#include "registry/object_store.h"
#include "registry/registry.h"

enum { MAX_CODES = 256 };

static struct mpipp_returned *codes;
static uint64_t noted_calls = 0;

static int is_usable(enum mpipp_kind kind, uint64_t handle) {
  const struct mpipp_object *object = mpipp_find_live(kind, handle);
  return object && !(object->flags & (MPIPP_FLAG_NULL | MPIPP_FLAG_ENDED));
}

static int begins_with(const char *name, const char *prefix) {
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

// The handle of the object on which the call is made. For a procedure that is not recorded, it is
// the first handle.
static uint64_t handle_of(const struct mpipp_thread *thread, int is_marked, uint32_t present,
                          uint64_t recorded) {
  if (is_marked) return thread->handle_count ? thread->handle : MPIPP_NO_HANDLE;
  return thread->call.present & present ? recorded : MPIPP_NO_HANDLE;
}

// The error handler that MPI calls for the call's errors. For a file that could not be opened, it
// belongs to MPI_FILE_NULL (MPI-4.1, section 14.7). For errors without an object, it belongs to a
// predefined communicator.
static MPI_Errhandler handler_of(const struct mpipp_thread *thread, int is_marked) {
  const struct mpipp_call *call = &thread->call;
  const char *name = mpipp_procedure_names[call->procedure];
  const uint64_t comm = handle_of(thread, is_marked, MPIPP_HAS_COMM, call->comm),
                 win = handle_of(thread, is_marked, MPIPP_HAS_WIN, call->win),
                 file = handle_of(thread, is_marked, MPIPP_HAS_FILE, call->file);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (begins_with(name, "MPI_File_")) PMPI(File_get_errhandler)
  (is_usable(MPIPP_FILE, file) ? (MPI_File)(uintptr_t)file : MPI_FILE_NULL, &handler);
  else if ((!is_marked || begins_with(name, "MPI_Win_")) && is_usable(MPIPP_WIN, win))
      PMPI(Win_get_errhandler)((MPI_Win)(uintptr_t)win, &handler);
  else if ((!is_marked || begins_with(name, "MPI_Comm_")) && is_usable(MPIPP_COMM, comm))
      PMPI(Comm_get_errhandler)((MPI_Comm)(uintptr_t)comm, &handler);
  else if (is_usable(MPIPP_COMM, MPIPP_KEY(MPI_COMM_WORLD)))
      PMPI(Comm_get_errhandler)(MPI_COMM_WORLD, &handler);
  return handler;
}

// Returns whether the error handler is MPI_ERRORS_RETURN, so that the program only gets the code.
static int is_only_returned(const struct mpipp_thread *thread, int is_marked) {
  MPI_Errhandler handler = handler_of(thread, is_marked);
  if (handler == MPI_ERRHANDLER_NULL) return 0;
  int returns = handler == MPI_ERRORS_RETURN;
  if (!mpipp_registry_is_constant(MPIPP_ERRHANDLER, MPIPP_KEY(handler)))
    PMPI(Errhandler_free)(&handler);
  return returns;
}

// Returns whether programs usually expect the error. MPI_T procedures have error codes of their
// own. Programs delete a file that may not exist before they create it.
static int is_expected(unsigned procedure, int error_class) {
  return begins_with(mpipp_procedure_names[procedure], "MPI_T_") ||
         (procedure == MPIPP_PROC_File_delete && error_class == MPI_ERR_NO_SUCH_FILE);
}

static struct mpipp_returned *find_locked(unsigned procedure, uint64_t caller, int error_class) {
  const uint64_t count = mpipp_registry_returned_table()->count;
  for (uint64_t i = 0; i < count; i++) {
    struct mpipp_returned *one = &codes[i];
    if (one->procedure == procedure && one->caller == caller && one->error_class == error_class)
      return one;
  }
  return NULL;
}

// The next free entry, which is not part of the table yet; NULL without memory.
static struct mpipp_returned *claim_locked(void) {
  struct mpipp_table *table = mpipp_registry_returned_table();
  if (!codes) codes = mpipp_registry_map(MAX_CODES * sizeof *codes);
  table->entries = (uint64_t)(uintptr_t)codes;
  return codes && table->count < MAX_CODES ? &codes[table->count] : NULL;
}

static void note_locked(const struct mpipp_returned *found) {
  struct mpipp_returned *place = find_locked(found->procedure, found->caller, found->error_class);
  noted_calls++;
  if (place) {
    MPIPP_WRITE(place->times, place->times + 1);
    MPIPP_WRITE(place->last, noted_calls);
    return;
  }
  place = claim_locked();
  if (!place) return;
  *place = *found;
  place->times = 1;
  place->last = noted_calls;
  struct mpipp_table *table = mpipp_registry_returned_table();
  __atomic_store_n(&table->count, table->count + 1, __ATOMIC_RELEASE);
}

static void note(const struct mpipp_thread *thread, int is_marked, int code) {
  const struct mpipp_call *call = &thread->call;
  int error_class = MPI_ERR_UNKNOWN, length = 0;
  if (PMPI(Error_class)(code, &error_class) != MPI_SUCCESS) error_class = MPI_ERR_UNKNOWN;
  if (is_expected(call->procedure, error_class) || !is_only_returned(thread, is_marked)) return;
  struct mpipp_returned found = {.procedure = call->procedure,
                                 .error_class = error_class,
                                 .caller = mpipp_outside_mpi(call->caller)};
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  if (PMPI(Error_string)(code, text, &length) == MPI_SUCCESS)
    memccpy(found.text, text, 0, sizeof found.text - 1);
  mpipp_registry_lock();
  note_locked(&found);
  mpipp_registry_unlock();
}

void mpipp_recorder_note_null(const struct mpipp_call *call) {
  const struct mpipp_returned found = {.procedure = call->procedure,
                                       .error_class = MPI_SUCCESS,
                                       .caller = mpipp_outside_mpi(call->caller)};
  mpipp_registry_lock();
  note_locked(&found);
  mpipp_registry_unlock();
}

void mpipp_recorder_note_code(const struct mpipp_thread *thread, int is_marked, int code) {
  if (mpipp_registry.status != MPIPP_STATUS_STARTED) return;
  int saved = errno;
  note(thread, is_marked, code);
  errno = saved;
}
