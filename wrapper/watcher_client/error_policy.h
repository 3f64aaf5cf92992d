// SPDX-License-Identifier: MIT
// What becomes of calls that are wrong (mpipp run --on-error), and MPI's error classes as the
// watcher names them.
#ifndef MPIPP_WATCHER_CLIENT_ERROR_POLICY_H
#define MPIPP_WATCHER_CLIENT_ERROR_POLICY_H

enum mpipp_on_error { MPIPP_REPORT, MPIPP_HANDLER, MPIPP_ABORT };

// As MPIPP_STRICT says.
extern enum mpipp_on_error mpipp_watcher_on_error __attribute__((visibility("hidden")));

// The class with a name, "MPI_ERR_COUNT"; MPI_SUCCESS of "". MPI_ERR_OTHER is that of the names
// that this library does not have.
int mpipp_watcher_class_named(const char *name);

#endif
