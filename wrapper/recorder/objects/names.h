// SPDX-License-Identifier: MIT
// Handles with names: those of the standard, and what the user names.
#ifndef MPIPP_RECORDER_OBJECTS_NAMES_H
#define MPIPP_RECORDER_OBJECTS_NAMES_H

#include "registry/records.h"

// A constant handle: predefined, or null.
void mpipp_recorder_add_constant(enum mpipp_kind kind, uint64_t handle, const char *name,
                                 unsigned flag);
void mpipp_recorder_set_name(enum mpipp_kind kind, uint64_t handle, const char *name);

#endif
