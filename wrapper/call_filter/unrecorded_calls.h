// SPDX-License-Identifier: MIT
// Calls of which nothing is recorded: whether they may be made now, and the handles that they are
// given.
#ifndef MPIPP_CALL_FILTER_UNRECORDED_CALLS_H
#define MPIPP_CALL_FILTER_UNRECORDED_CALLS_H

#include "registry/object_store.h"

// The one that this thread is about to make. Returns MPI's error class if it is not to be made.
int mpipp_filter_marked(unsigned procedure);
// The kind of the first handle that it is given; MPIPP_KINDS: there is none.
enum mpipp_kind mpipp_filter_marked_kind(unsigned procedure);

#endif
