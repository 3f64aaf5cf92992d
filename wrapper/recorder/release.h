// SPDX-License-Identifier: MIT
// The memory that records of each kind own.
#ifndef MPIPP_RECORDER_RELEASE_H
#define MPIPP_RECORDER_RELEASE_H

#include "registry/records.h"

// Frees the memory of a record and drops its references; with the lock held
// (mpipp_registry_open_stores).
void mpipp_recorder_forget(struct mpipp_object *object);

#endif
