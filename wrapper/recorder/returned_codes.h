// SPDX-License-Identifier: MIT
// Records the error codes and null handles that MPI returns to the program.
#ifndef MPIPP_RECORDER_RETURNED_CODES_H
#define MPIPP_RECORDER_RETURNED_CODES_H

#include "registry/records.h"

// Records an error code that MPI is about to return from the thread's call, unless an error handler
// of the program has already been called. is_marked: 1 for a procedure that is not recorded, whose
// record has no arguments.
void mpipp_recorder_note_code(const struct mpipp_thread *thread, int is_marked, int code);

// Records that the call returns MPI_COMM_NULL instead of a communicator, without an error.
void mpipp_recorder_note_null(const struct mpipp_call *call);

#endif
