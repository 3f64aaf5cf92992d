// SPDX-License-Identifier: MIT
// What a directory of /proc has. Takes no memory from malloc: that may be the program's, and wait
// for the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_PROC_DIR_H
#define MPIPP_BUFFER_GUARD_PLATFORM_PROC_DIR_H

// Calls it with each name but those that begin with a dot, until it returns 1: whether it has. -1
// without the directory.
int mpipp_guard_list(const char *path, int (*is_it)(int directory, const char *name, void *with),
                     void *with);
// Whether a file is open whose name begins with one of these, of which the last is NULL. -1 if that
// cannot be known.
int mpipp_guard_has_open(const char *const *names);

#endif
