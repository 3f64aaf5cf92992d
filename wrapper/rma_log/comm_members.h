// SPDX-License-Identifier: MIT
// Logs communicators and groups.
#ifndef MPIPP_RMA_LOG_COMM_MEMBERS_H
#define MPIPP_RMA_LOG_COMM_MEMBERS_H

#include "registry/records.h"

// Logs the members of a communicator, once.
void mpipp_rma_log_comm(const struct mpipp_call *call, struct mpipp_comm *comm);
// mpipp_rma_log_group_words returns the number of words for a group. mpipp_rma_log_group writes
// them: the members' ranks in MPI_COMM_WORLD.
uint64_t mpipp_rma_log_group_words(const struct mpipp_group *group);
void mpipp_rma_log_group(uint64_t *at, const struct mpipp_group *group);
// The rank in MPI_COMM_WORLD for a rank on the communicator.
uint64_t mpipp_rma_log_rank(const struct mpipp_comm *comm, int64_t rank);

#endif
