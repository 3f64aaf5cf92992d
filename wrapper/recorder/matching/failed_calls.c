// SPDX-License-Identifier: MIT
// Failed calls: decides from the error class whether they took part in the matching.
#include "abi/mpi_symbols.h"
#include "generated/procedures.h"
#include "recorder/matching/channels.h"
#include "recorder/requests/requests.h"
#include "recorder/requests/shared_handles.h"

static int class_of(int code) {
  int class = MPI_SUCCESS;
  return PMPI(Error_class)(code, &class) == MPI_SUCCESS ? class : MPI_ERR_UNKNOWN;
}

// The participation of a failed collective call in its operation. Most libraries check the
// arguments first; a call that fails there is not seen by other processes.
enum mpipp_part { NOT_KNOWN, PERHAPS, TAKEN };

// Returns whether the error comes from the file system. Processes share the result of opening a
// file, so all have taken part.
static int is_file_system_error(int error_class) {
  switch (error_class) {
  case MPI_ERR_ACCESS:
  case MPI_ERR_FILE_EXISTS:
  case MPI_ERR_FILE_IN_USE:
  case MPI_ERR_IO:
  case MPI_ERR_NO_SPACE:
  case MPI_ERR_NO_SUCH_FILE:
  case MPI_ERR_QUOTA:
  case MPI_ERR_READ_ONLY:
    return 1;
  default:
    return 0;
  }
}

static enum mpipp_part part_of(const struct mpipp_call *call, int error_class) {
  switch (error_class) {
  case MPI_ERR_TRUNCATE:
  case MPI_ERR_IN_STATUS:
  case MPI_ERR_NOT_SAME:
    return TAKEN;
  case MPI_ERR_INTERN:
  case MPI_ERR_OTHER:
  case MPI_ERR_PENDING:
  case MPI_ERR_UNKNOWN:
    return PERHAPS;
  default:
    return call->procedure == MPIPP_PROC_File_open && is_file_system_error(error_class) ? TAKEN
                                                                                        : NOT_KNOWN;
  }
}

// Returns whether all named arguments are numbers, so that no memory of the caller has to be read.
static int has_numbers_only(const struct mpipp_call *call) {
  if (!(call->present & MPIPP_HAS_ARGUMENTS)) return 0;
  const struct mpipp_input *inputs = (const void *)(uintptr_t)call->inputs;
  for (uint32_t i = 0; i < call->input_count; i++) {
    if (inputs[i].shape != MPIPP_SHAPE_NUMBER) return 0;
  }
  return 1;
}

// Returns whether the arguments may be read, although MPI may not have accepted them.
static int can_be_read(const struct mpipp_call *call) {
  if (call->present & MPIPP_HAS_UNKNOWN) return 0;
  for (int v = 0; call->present & MPIPP_HAS_VECTORS && v < MPIPP_MAX_VECTORS; v++) {
    if (call->vectors[v].length && !call->vectors[v].counts) return 0;
  }
  return !(call->present & MPIPP_HAS_ARGUMENTS) || has_numbers_only(call);
}

static struct mpipp_call failed_copy(const struct mpipp_call *call, int error_class) {
  struct mpipp_call copy = *call;
  copy.errorcode = error_class;
  copy.present |= MPIPP_HAS_ERRORCODE;
  return copy;
}

static void fail_collective(struct mpipp_call *call, int code) {
  const int error_class = class_of(code);
  const enum mpipp_part part = part_of(call, error_class);
  if (part == TAKEN) mpipp_import_unknown(call);
  if (part == TAKEN || (part == PERHAPS && can_be_read(call))) {
    const struct mpipp_call noted = failed_copy(call, error_class);
    mpipp_recorder_note_refusal(call, &noted);
  }
  if (part != TAKEN) mpipp_recorder_end_collectives(call);
}

static int is_collective(const struct mpipp_call *call) {
  return call->present & MPIPP_HAS_ORDINAL &&
         !(call->present & (MPIPP_HAS_DEST | MPIPP_HAS_SOURCE));
}

int mpipp_recorder_fail(struct mpipp_call *call, int code) {
  if (is_collective(call))
    fail_collective(call, code);
  else
    mpipp_recorder_distrust_comm(call);
  return code;
}

void mpipp_recorder_note_unknown_outcome(const struct mpipp_call *call) {
  if (is_collective(call))
    mpipp_recorder_end_collectives(call);
  else
    mpipp_recorder_distrust_comm(call);
}

int mpipp_recorder_fail_object_call(const struct mpipp_call *call, int code) {
  if (call->present & MPIPP_HAS_DROPPED) return code;
  // The error may be that the arguments differ between processes, so the call is kept as the last
  // one.
  const struct mpipp_call noted = failed_copy(call, class_of(code));
  mpipp_recorder_note_refused_object_call(call, has_numbers_only(call) ? &noted : NULL);
  return code;
}

void mpipp_recorder_fail_completion(uint64_t handle, int code) {
  const int error_class = code == MPI_SUCCESS ? MPI_SUCCESS : class_of(code);
  if (error_class == MPI_SUCCESS || error_class == MPI_ERR_PENDING) return;
  int locked = mpipp_lock_kind(MPIPP_REQUEST), is_known = 0;
  struct mpipp_call noted;
  uint64_t place = 0;
  const struct mpipp_request *request = mpipp_find_live(MPIPP_REQUEST, handle);
  if (request && !request->newer && is_collective(&request->call)) {
    noted = failed_copy(&request->call, error_class);
    noted.present &= ~(uint32_t)MPIPP_HAS_ARGUMENTS; // its arguments are no longer in memory
    place = request->object.caller;
    is_known = 1;
  }
  mpipp_unlock_kind(locked);
  if (is_known) mpipp_recorder_note_outcome(&noted, place);
}

int mpipp_recorder_fail_receive(const struct mpipp_call *call, int code, uint64_t *any,
                                const MPI_Status *status) {
  if (class_of(code) != MPI_ERR_TRUNCATE) {
    mpipp_recorder_distrust_comm(call);
    return code;
  }
  if (!any) return code;
  *any = 0;
  mpipp_recorder_receive_wildcard(call, status);
  return code;
}

int mpipp_recorder_fail_message(struct mpipp_call *call, int code, uint64_t serial) {
  if (class_of(code) != MPI_ERR_TRUNCATE) return code;
  MPIPP_WRITE(call->present, call->present & ~(uint32_t)MPIPP_HAS_MESSAGE);
  mpipp_registry_note_free(MPIPP_MESSAGE, call->message, serial, call->caller);
  return code;
}
