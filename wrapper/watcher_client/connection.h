// SPDX-License-Identifier: MIT
// The connection of a process to its watcher: passes its records' memory, and announces its end.
#ifndef MPIPP_WATCHER_CLIENT_CONNECTION_H
#define MPIPP_WATCHER_CLIENT_CONNECTION_H

#include <stdint.h>

// The reason why a process records no more.
enum mpipp_end {
  MPIPP_OVER_FINALIZED = 1, // MPI_Finalize is about to return
  MPIPP_OVER_EXITING,       // the program exits
  MPIPP_OVER_ABORTING,      // it calls MPI_Abort
  MPIPP_OVER_STOPPED,       // it is ended for an error that was found
};

// Connects to the watcher whose socket MPIPP_WATCH names. Without one the program continues,
// unwatched.
void mpipp_watcher_connect(void);
// Waits until the watcher has seen the process: also one that ends soon is seen alive.
void mpipp_watcher_await_greeting(void);
// Announces the end to the watcher, once, and waits for its checks, but not forever.
void mpipp_watcher_report_end(enum mpipp_end end);
// Another connection to the watcher, which the caller closes; -1 if there is none.
int mpipp_watcher_open_connection(void);
// The first returns whether there is a watcher to query. The second sends it the address of a
// query; 0 if it cannot take one now. The third returns how many queries it has answered since the
// last call.
int mpipp_watcher_is_connected(void);
int mpipp_watcher_ask(uint64_t address);
// Sends that query and all that follow it, and waits a while if it has to.
int mpipp_watcher_ask_all(uint64_t address);
int64_t mpipp_watcher_count_answers(void);
// Returns whether there is a new finding since the last call.
int mpipp_watcher_has_findings(void);
// MPI's error class of the call in the last answer; MPI_SUCCESS, if it is not certain to be wrong.
int mpipp_watcher_last_class(void);
// Waits until it can take one more, or has answered; 0: it is silent for a while.
int mpipp_watcher_await_capacity(void);
// In the child of a fork: it is not watched.
void mpipp_watcher_after_fork_in_child(void);

#endif
