// SPDX-License-Identifier: MIT
// The connection of a process to its watcher. The process passes the file with its records, and
// announces its end.
#ifndef MPIPP_WATCHER_CLIENT_CONNECTION_H
#define MPIPP_WATCHER_CLIENT_CONNECTION_H

#include <stdint.h>

// The reason why a process stops recording.
enum mpipp_end {
  MPIPP_OVER_FINALIZED = 1, // MPI_Finalize is about to return
  MPIPP_OVER_EXITING,       // the program returns from main, or calls exit
  MPIPP_OVER_ABORTING,      // the program calls MPI_Abort
  MPIPP_OVER_STOPPED,       // mpipp ends the process because of an error
};

// Connects to the watcher's socket, which MPIPP_WATCH names. If that fails, the program continues
// unwatched.
void mpipp_watcher_connect(void);
// Waits until the watcher knows the process, so that it sees even a process that ends soon.
void mpipp_watcher_await_greeting(void);
// Announces the end to the watcher, once, and waits for the watcher's checks, but not forever.
void mpipp_watcher_report_end(enum mpipp_end end);
// Announces that the process exits now. The last process of a node waits until the watcher has
// written its results. When that process has exited, a batch system may kill the watcher.
void mpipp_watcher_report_exit(void);
// Opens another connection to the watcher, which the caller closes. Returns -1 if that fails.
int mpipp_watcher_open_connection(void);
// mpipp_watcher_is_connected returns whether there is a watcher to query. mpipp_watcher_ask sends
// it the address of a query; returns 0 if the watcher cannot take one now.
// mpipp_watcher_count_answers returns the number of answers since its last call.
int mpipp_watcher_is_connected(void);
int mpipp_watcher_ask(uint64_t address);
// Sends the query at that address, and all that follow it. Waits a while if the watcher is busy.
int mpipp_watcher_ask_all(uint64_t address);
int64_t mpipp_watcher_count_answers(void);
// Returns whether there is a new finding since the last call of this function.
int mpipp_watcher_has_findings(void);
// MPI's error class for the call in the last answer; MPI_SUCCESS if the call is not certainly
// wrong.
int mpipp_watcher_last_class(void);
// Waits until the watcher can take one more query, or has answered. Returns 0 if it is silent for
// too long.
int mpipp_watcher_await_capacity(void);
// Called in the child of a fork, which is not watched.
void mpipp_watcher_after_fork_in_child(void);

#endif
