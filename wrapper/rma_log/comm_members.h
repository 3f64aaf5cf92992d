// SPDX-License-Identifier: MIT
// Communicators and groups in the log.
#ifndef MPIPP_RMA_LOG_COMM_MEMBERS_H
#define MPIPP_RMA_LOG_COMM_MEMBERS_H

#include "registry/records.h"

// Says once who is in a communicator.
void mpipp_rma_log_comm(const struct mpipp_call *call, struct mpipp_comm *comm);
// Words of a group, and these: ranks in MPI_COMM_WORLD.
uint64_t mpipp_rma_log_group_words(const struct mpipp_group *group);
void mpipp_rma_log_group(uint64_t *at, const struct mpipp_group *group);
// The rank in MPI_COMM_WORLD of a rank that a call on the communicator names.
uint64_t mpipp_rma_log_rank(const struct mpipp_comm *comm, int64_t rank);

#endif
