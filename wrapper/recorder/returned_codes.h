// SPDX-License-Identifier: MIT
// The error codes that MPI returns to the program.
#ifndef MPIPP_RECORDER_RETURNED_CODES_H
#define MPIPP_RECORDER_RETURNED_CODES_H

#include "registry/records.h"

// MPI is about to return this code, no MPI_SUCCESS, from the thread's call. Nothing is recorded
// where the program's own error handler has seen it. is_marked: the call's procedure is one that is
// not recorded; its record has no arguments.
void mpipp_recorder_note_code(const struct mpipp_thread *thread, int is_marked, int code);

#endif
