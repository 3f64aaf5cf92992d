// SPDX-License-Identifier: MIT
// The entries of a directory of /proc. Takes no memory from malloc, which may be the program's, and
// wait for the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_PROC_DIR_H
#define MPIPP_BUFFER_GUARD_PLATFORM_PROC_DIR_H

#include "abi/seam.h"

// Calls it with each name that does not begin with a dot, until it returns 1. Returns whether it
// has; -1 without the directory.
int mpipp_guard_list(const char *path, int (*is_it)(int directory, const char *name, void *with),
                     void *with);
// Returns whether a file is open whose name begins with one of these, the last of which is NULL. -1
// if that is unknown.
MPIPP_SEAM int mpipp_guard_has_open(const char *const *names);

#endif
