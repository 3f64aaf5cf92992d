// SPDX-License-Identifier: MIT
// Collective calls that disagree, as far as sums tell: the watcher compares them exactly, while
// every process waits before its call.
#ifndef MPIPP_WATCHER_CLIENT_COLLECTIVE_MISMATCH_H
#define MPIPP_WATCHER_CLIENT_COLLECTIVE_MISMATCH_H

#include "watcher_client/messages.h"

// Whether all processes of MPI_COMM_WORLD compare calls before they begin: the same in all that
// ask. Waits for the watcher, not for ever; where there is none the answer is no.
int mpipp_watcher_ask_whether_all(uint64_t pid);

// Lets the watcher compare, now, all that its processes have started, and with those of other nodes
// what is on the communicator. Waits for it, not for ever; returns whether something new is found.
int mpipp_watcher_ask_to_compare(struct mpipp_disagreeing *completed);

// Lets the watcher tell of a touch (registry/buffer_accesses.h), and stops then. Waits for it, not
// for ever; returns whether it has seen it. For signal handlers.
int mpipp_watcher_ask_touched(uint64_t pid, uint64_t tid, uint64_t touch);

// Tells the watcher that some calls are not compared before they begin.
void mpipp_watcher_tell_not_compared(uint64_t pid);

// Asks the watcher, and waits for its answer, not for ever: MPI's error class for what is found,
// MPI_SUCCESS if nothing is, or it could not tell.
int mpipp_watcher_ask_watcher(struct mpipp_disagreeing *call);

#endif
