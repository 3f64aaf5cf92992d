// SPDX-License-Identifier: MIT
// The policy for wrong calls (mpipp run --on-error), and MPI's error classes by the names that the
// watcher sends.
#ifndef MPIPP_WATCHER_CLIENT_ERROR_POLICY_H
#define MPIPP_WATCHER_CLIENT_ERROR_POLICY_H

#include "abi/seam.h"

enum mpipp_on_error { MPIPP_REPORT, MPIPP_HANDLER, MPIPP_ABORT };

// The value of MPIPP_STRICT.
MPIPP_SEAM extern enum mpipp_on_error mpipp_watcher_on_error;

// The error class with a name such as "MPI_ERR_COUNT"; MPI_SUCCESS for "". Returns MPI_ERR_OTHER
// for a class that this library does not have.
int mpipp_watcher_class_of_name(const char *name);

#endif
