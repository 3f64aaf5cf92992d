// SPDX-License-Identifier: MIT
// Processes of other MPI_COMM_WORLDs in the log: through them, an order may reach some processes of
// this world from others of it.
#ifndef MPIPP_RMA_LOG_OTHER_WORLDS_H
#define MPIPP_RMA_LOG_OTHER_WORLDS_H

#include "registry/records.h"

// Returns whether a call with a communicator may order processes: it is collective, or has a peer.
int mpipp_rma_is_communication(const struct mpipp_call *call);
// Returns whether the communicator certainly has processes of another world.
int mpipp_rma_has_other_worlds(const struct mpipp_comm *comm);
// Logs the begin of a call that may order this process before processes of other worlds. The second
// logs the end of a call that may order them before this one. Other calls are not logged. flag: the
// result of a call that has one.
void mpipp_rma_log_other_world_begins(const struct mpipp_call *call);
void mpipp_rma_log_other_world_ends(const struct mpipp_call *call, int flag);
// Logs that processes of other worlds may be ordered before this one once the request is complete;
// without a request (0), from now on.
void mpipp_rma_log_other_world(const struct mpipp_call *call, uint64_t request);

#endif
