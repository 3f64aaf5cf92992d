// SPDX-License-Identifier: MIT
// Reads directories of /proc. Takes no memory from malloc: the program may have replaced malloc,
// and its malloc may wait for the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_PROC_DIR_H
#define MPIPP_BUFFER_GUARD_PLATFORM_PROC_DIR_H

#include "abi/seam.h"

// Calls `is_it` with each name that does not begin with a dot, until it returns 1. Returns whether
// `is_it` did so; -1 if the directory cannot be read.
int mpipp_guard_list(const char *path, int (*is_it)(int directory, const char *name, void *with),
                     void *with);
// Returns whether the process has an open file whose name begins with one of `names`, which NULL
// ends. Returns -1 if that is unknown.
MPIPP_SEAM int mpipp_guard_has_open(const char *const *names);

#endif
