// SPDX-License-Identifier: MIT
// The process and its watcher: it hands its records' memory over, and says when it is over.
#ifndef MPIPP_WATCHER_CLIENT_CONNECTION_H
#define MPIPP_WATCHER_CLIENT_CONNECTION_H

#include <stdint.h>

// Why a process records no more.
enum mpipp_end {
  MPIPP_OVER_FINALIZED = 1, // MPI_Finalize is about to return
  MPIPP_OVER_EXITING,       // the program exits
  MPIPP_OVER_ABORTING,      // it calls MPI_Abort
  MPIPP_OVER_STOPPED,       // it is ended for an error that was found
};

// To the watcher whose socket MPIPP_WATCH names. Without one the program goes on, unwatched.
void mpipp_watcher_connect(void);
// Lets the watcher come up: what ends soon has been seen alive.
void mpipp_watcher_meet(void);
// Tells the watcher, once, and lets it look; not for ever.
void mpipp_watcher_report_end(enum mpipp_end end);
// Another connection to the watcher, the caller's to close; -1 if there is none.
int mpipp_watcher_another(void);
// Whether there is a watcher to ask; sends it the address of a question, returning 0 where it
// cannot take one now; how many it has answered since this was last called.
int mpipp_watcher_is_there(void);
int mpipp_watcher_ask(uint64_t address);
// The same of that question and all that follow it, for which it waits a while if it has to.
int mpipp_watcher_ask_all(uint64_t address);
int64_t mpipp_watcher_answered(void);
// Whether it has found something since this was last called.
int mpipp_watcher_has_findings(void);
// MPI's error class of the call that the last answer is about; MPI_SUCCESS, if it is not certain to
// be wrong.
int mpipp_watcher_last_class(void);
// Until it can take one more, or has answered; 0: it says nothing for a while.
int mpipp_watcher_await_room(void);
// In the child of a fork: it is not watched.
void mpipp_watcher_forked(void);

#endif
