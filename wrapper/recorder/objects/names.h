// SPDX-License-Identifier: MIT
// Records the names of handles: those of the standard, and those that the program sets.
#ifndef MPIPP_RECORDER_OBJECTS_NAMES_H
#define MPIPP_RECORDER_OBJECTS_NAMES_H

#include "registry/records.h"

// Records a constant handle: a predefined or a null one.
void mpipp_recorder_add_constant(enum mpipp_kind kind, uint64_t handle, const char *name,
                                 unsigned flag);
void mpipp_recorder_set_name(enum mpipp_kind kind, uint64_t handle, const char *name);

#endif
