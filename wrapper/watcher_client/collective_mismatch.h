// SPDX-License-Identifier: MIT
// Queries about collective calls whose sums show a disagreement. Every process waits before its
// call, and the watcher compares the calls exactly.
#ifndef MPIPP_WATCHER_CLIENT_COLLECTIVE_MISMATCH_H
#define MPIPP_WATCHER_CLIENT_COLLECTIVE_MISMATCH_H

#include "abi/seam.h"
#include "watcher_client/messages.h"

// Returns whether all processes of MPI_COMM_WORLD compare calls before they begin. All processes
// that ask get the same answer. Waits for the watcher, but not forever. Returns 0 without a
// watcher.
MPIPP_SEAM int mpipp_watcher_all_are_strict(uint64_t pid);

// Lets the watcher compare all calls that its processes have started. Calls on the communicator are
// also compared with those of other nodes. Waits for the result, but not forever. Returns whether
// there is a new finding.
MPIPP_SEAM int mpipp_watcher_ask_to_compare(struct mpipp_disagreeing *completed);

// Lets the watcher report an access (registry/buffer_accesses.h), and stops the process. Waits for
// the watcher, but not forever. Returns whether the watcher has got the query. Signal handlers may
// call it.
MPIPP_SEAM int mpipp_watcher_report_access(uint64_t pid, uint64_t tid, uint64_t touch);

// Tells the watcher that some calls are not compared before they begin.
MPIPP_SEAM void mpipp_watcher_report_uncompared_calls(uint64_t pid);

// Queries the watcher about a disagreement, and waits for the answer, but not forever. Returns
// MPI's error class for the finding. Returns MPI_SUCCESS if there is none, or the watcher could not
// decide.
MPIPP_SEAM int mpipp_watcher_ask_disagreement(struct mpipp_disagreeing *call);

#endif
