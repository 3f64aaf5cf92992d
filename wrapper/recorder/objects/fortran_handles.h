// SPDX-License-Identifier: MIT
// Fortran INTEGER handles.
#ifndef MPIPP_RECORDER_OBJECTS_FORTRAN_HANDLES_H
#define MPIPP_RECORDER_OBJECTS_FORTRAN_HANDLES_H

#include "registry/records.h"

// Asks the library for its Fortran INTEGER, once it is recorded.
void mpipp_recorder_set_constant_fint(enum mpipp_kind kind, uint64_t handle);

#endif
