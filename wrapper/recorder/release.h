// SPDX-License-Identifier: MIT
// What the records of each kind own.
#ifndef MPIPP_RECORDER_RELEASE_H
#define MPIPP_RECORDER_RELEASE_H

#include "registry/records.h"

// Frees what a record owns and drops its references; with the lock held
// (mpipp_registry_open_stores).
void mpipp_recorder_forget(struct mpipp_object *object);

#endif
