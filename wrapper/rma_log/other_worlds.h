// SPDX-License-Identifier: MIT
// Processes of other MPI_COMM_WORLDs in the log: they may tell some of this world what others of it
// have told them.
#ifndef MPIPP_RMA_LOG_OTHER_WORLDS_H
#define MPIPP_RMA_LOG_OTHER_WORLDS_H

#include "registry/records.h"

// Whether processes may hear of each other by a call that is given a communicator: it is
// collective, or has a peer.
int mpipp_rma_is_communication(const struct mpipp_call *call);
// Whether the communicator has processes of another world, for certain.
int mpipp_rma_has_other_worlds(const struct mpipp_comm *comm);
// A call begins by which such processes may hear of this one; has ended, by which this one may hear
// of others. What is no such call is not logged. flag: of a call that has one, what it is.
void mpipp_rma_log_other_world_begins(const struct mpipp_call *call);
void mpipp_rma_log_other_world_ends(const struct mpipp_call *call, int flag);
// This one may hear of others when a request is complete; 0: now.
void mpipp_rma_log_other_world(const struct mpipp_call *call, uint64_t request);

#endif
