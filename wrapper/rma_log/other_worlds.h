// SPDX-License-Identifier: MIT
// Processes of other MPI_COMM_WORLDs in the log. Through them, events of some processes of this
// world may be ordered before events of others.
#ifndef MPIPP_RMA_LOG_OTHER_WORLDS_H
#define MPIPP_RMA_LOG_OTHER_WORLDS_H

#include "registry/records.h"

// Returns whether a call with a communicator may order processes, because it is collective, or has
// a peer.
int mpipp_rma_is_communication(const struct mpipp_call *call);
// Returns whether the communicator certainly has processes of another world.
int mpipp_rma_has_other_worlds(const struct mpipp_comm *comm);
// mpipp_rma_log_other_world_begins logs the start of a call that may order this process before
// processes of other worlds. mpipp_rma_log_other_world_ends logs the end of a call that may order
// them before this one. Other calls are not logged. flag: the flag that the call has returned, if
// it has one.
void mpipp_rma_log_other_world_begins(const struct mpipp_call *call);
void mpipp_rma_log_other_world_ends(const struct mpipp_call *call, int flag);
// Logs that processes of other worlds may be ordered before this one, when the request completes.
// request: 0 if that is now.
void mpipp_rma_log_other_world(const struct mpipp_call *call, uint64_t request);

#endif
