// SPDX-License-Identifier: MIT
// Records the Fortran INTEGER handles of objects.
#ifndef MPIPP_RECORDER_OBJECTS_FORTRAN_HANDLES_H
#define MPIPP_RECORDER_OBJECTS_FORTRAN_HANDLES_H

#include "registry/records.h"

// Asks the library for the Fortran INTEGER of a constant handle that is recorded.
void mpipp_recorder_set_constant_fint(enum mpipp_kind kind, uint64_t handle);

#endif
