// SPDX-License-Identifier: MIT
// Collective calls that disagree, as far as sums show: the watcher compares them exactly, while
// every process waits before its call.
#ifndef MPIPP_WATCHER_CLIENT_COLLECTIVE_MISMATCH_H
#define MPIPP_WATCHER_CLIENT_COLLECTIVE_MISMATCH_H

#include "abi/seam.h"
#include "watcher_client/messages.h"

// Returns whether all processes of MPI_COMM_WORLD compare calls before they begin: equal in all
// that ask. Waits for the watcher, but not forever; 0 without a watcher.
MPIPP_SEAM int mpipp_watcher_all_are_strict(uint64_t pid);

// Lets the watcher compare, now, all calls that its processes have started, and those on the
// communicator with those of other nodes. Waits for it, but not forever; returns whether there is a
// new finding.
MPIPP_SEAM int mpipp_watcher_ask_to_compare(struct mpipp_disagreeing *completed);

// Lets the watcher report an access (registry/buffer_accesses.h), and stops then. Waits for it, but
// not forever; returns whether the watcher has seen it. For signal handlers.
MPIPP_SEAM int mpipp_watcher_report_access(uint64_t pid, uint64_t tid, uint64_t touch);

// Tells the watcher that some calls are not compared before they begin.
MPIPP_SEAM void mpipp_watcher_report_uncompared_calls(uint64_t pid);

// Queries the watcher, and waits for its answer, but not forever. Returns MPI's error class of the
// finding, or MPI_SUCCESS if there is none, or the watcher could not decide.
MPIPP_SEAM int mpipp_watcher_ask_disagreement(struct mpipp_disagreeing *call);

#endif
