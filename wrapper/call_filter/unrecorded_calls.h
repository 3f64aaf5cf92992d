// SPDX-License-Identifier: MIT
// Checks calls that are not recorded: whether they may be made now, and whether their handles are
// valid.
#ifndef MPIPP_CALL_FILTER_UNRECORDED_CALLS_H
#define MPIPP_CALL_FILTER_UNRECORDED_CALLS_H

#include "registry/object_store.h"

// Checks the call that this thread is about to make. Returns MPI's error class if it must not be
// made.
int mpipp_filter_check_unrecorded_call(unsigned procedure);
// Checks, in exit after MPI_Finalize, whether MPI has called it. Open MPI's Fortran layer does so
// when it converts a handle, before it calls the procedure.
void mpipp_filter_check_late_exit(void);
// The kind of the procedure's first handle; MPIPP_KINDS if it has none.
enum mpipp_kind mpipp_filter_unrecorded_kind(unsigned procedure);

#endif
