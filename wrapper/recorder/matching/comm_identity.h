// SPDX-License-Identifier: MIT
// The identity of a communicator: a number that is equal in all its processes. For calls that
// create communicators among some processes, each process counts the calls by facts that all these
// processes know. So the processes need not communicate.
#ifndef MPIPP_RECORDER_MATCHING_COMM_IDENTITY_H
#define MPIPP_RECORDER_MATCHING_COMM_IDENTITY_H

#include "registry/object_store.h"

// mpipp_recorder_lead and mpipp_recorder_gather: MPI_Intercomm_create (in the leader) and
// MPI_Comm_create_group begin, on that communicator. mpipp_recorder_fail_gather: the call has
// failed. After a failed call, the number of calls between the same processes is uncertain.
void mpipp_recorder_lead(const struct mpipp_call *call, int local_leader, uint64_t peer_comm,
                         int remote_leader);
void mpipp_recorder_gather(const struct mpipp_call *call, uint64_t group);
void mpipp_recorder_fail_gather(uint64_t comm, enum mpipp_sequence sequence) MPIPP_COLD;

// These functions do this for calls that create a communicator from groups, without a parent
// communicator.
void mpipp_recorder_gather_groups(struct mpipp_call *call, uint64_t group, const char *stringtag);
void mpipp_recorder_lead_groups(const struct mpipp_call *call, uint64_t local, int local_leader,
                                uint64_t remote, int remote_leader);
void mpipp_recorder_fail_gather_groups(void) MPIPP_COLD;

// A communicator's identity, from the call that created it. Returns 0 if it might differ between
// its processes.
uint64_t mpipp_recorder_comm_identity(const struct mpipp_call *call, const struct mpipp_comm *made);
// Stores in the new communicator's record the call that created it, if the call's communicator has
// no identity.
void mpipp_recorder_set_creator(const struct mpipp_call *call, struct mpipp_comm *made);

// A window's identity. *comm: the identity of its communicator.
uint64_t mpipp_recorder_window_identity(const struct mpipp_call *call, uint64_t *comm);

uint64_t mpipp_recorder_predefined_identity(const char *name);

#endif
