// SPDX-License-Identifier: MIT
// Fortran INTEGER handles.
#ifndef MPIPP_FORTRAN_H
#define MPIPP_FORTRAN_H

#include "records/records.h"

// Asks the library for its Fortran INTEGER, once it is recorded.
void mpipp_set_constant_fint(enum mpipp_kind kind, uint64_t handle);

#endif
