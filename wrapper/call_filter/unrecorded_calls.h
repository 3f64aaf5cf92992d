// SPDX-License-Identifier: MIT
// Calls that are not recorded: whether they may be made now, and their handles.
#ifndef MPIPP_CALL_FILTER_UNRECORDED_CALLS_H
#define MPIPP_CALL_FILTER_UNRECORDED_CALLS_H

#include "registry/object_store.h"

// The one that this thread is about to make. Returns MPI's error class if it is not to be made.
int mpipp_filter_check_unrecorded_call(unsigned procedure);
// The kind of its first handle; MPIPP_KINDS: there is none.
enum mpipp_kind mpipp_filter_unrecorded_kind(unsigned procedure);

#endif
