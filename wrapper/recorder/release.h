// SPDX-License-Identifier: MIT
// Frees the memory that an object record owns.
#ifndef MPIPP_RECORDER_RELEASE_H
#define MPIPP_RECORDER_RELEASE_H

#include "registry/records.h"

// Frees the memory of a record, and drops its references to other records. The caller holds the
// lock (mpipp_registry_open_stores).
void mpipp_recorder_forget(struct mpipp_object *object);

#endif
