// SPDX-License-Identifier: MIT
// The calls that make communicators among some processes, and how what they make is known to be the
// same in all of these. No process asks another: each counts such calls by what finds the others.
#ifndef MPIPP_RECORDER_MATCHING_COMM_IDENTITY_H
#define MPIPP_RECORDER_MATCHING_COMM_IDENTITY_H

#include "registry/object_store.h"

// MPI_Intercomm_create and MPI_Comm_create_group begin; and fail, on that communicator: how often
// they were called by those who find each other is not certain then.
void mpipp_recorder_leading(const struct mpipp_call *call, int local_leader, uint64_t peer_comm,
                            int remote_leader);
void mpipp_recorder_gathering(const struct mpipp_call *call, uint64_t group);
void mpipp_recorder_not_gathered(uint64_t comm, enum mpipp_sequence sequence) MPIPP_COLD;

// The same of what makes a communicator of groups, without another one.
void mpipp_recorder_gathering_apart(struct mpipp_call *call, uint64_t group, const char *stringtag);
void mpipp_recorder_leading_apart(const struct mpipp_call *call, uint64_t local, int local_leader,
                                  uint64_t remote, int remote_leader);
void mpipp_recorder_not_gathered_apart(void) MPIPP_COLD;

// A communicator's identity from the call that made it, 0 if it cannot be known to be the same in
// all its processes.
uint64_t mpipp_recorder_comm_identity(const struct mpipp_call *call, const struct mpipp_comm *made);
// Which call on which communicator without an identity made it.
void mpipp_recorder_comm_made_of(const struct mpipp_call *call, struct mpipp_comm *made);

// Likewise a window's; stores that of its communicator.
uint64_t mpipp_recorder_window_identity(const struct mpipp_call *call, uint64_t *comm);

uint64_t mpipp_recorder_predefined_identity(const char *name);

#endif
