// SPDX-License-Identifier: MIT
// Calls that make communicators among some processes, and the identity by which all of these
// processes know the new communicator. No process asks another: each counts such calls by the facts
// that all of them have.
#ifndef MPIPP_RECORDER_MATCHING_COMM_IDENTITY_H
#define MPIPP_RECORDER_MATCHING_COMM_IDENTITY_H

#include "registry/object_store.h"

// MPI_Intercomm_create and MPI_Comm_create_group begin; and fail, on that communicator. After a
// failure the number of calls between the same processes is uncertain.
void mpipp_recorder_lead(const struct mpipp_call *call, int local_leader, uint64_t peer_comm,
                         int remote_leader);
void mpipp_recorder_gather(const struct mpipp_call *call, uint64_t group);
void mpipp_recorder_fail_gather(uint64_t comm, enum mpipp_sequence sequence) MPIPP_COLD;

// The corresponding functions for calls that make a communicator from groups, without another one.
void mpipp_recorder_gather_groups(struct mpipp_call *call, uint64_t group, const char *stringtag);
void mpipp_recorder_lead_groups(const struct mpipp_call *call, uint64_t local, int local_leader,
                                uint64_t remote, int remote_leader);
void mpipp_recorder_fail_gather_groups(void) MPIPP_COLD;

// A communicator's identity from the call that made it, 0 if it may differ between its processes.
uint64_t mpipp_recorder_comm_identity(const struct mpipp_call *call, const struct mpipp_comm *made);
// The call, on a communicator without an identity, that made it.
void mpipp_recorder_set_creator(const struct mpipp_call *call, struct mpipp_comm *made);

// A window's identity; stores the identity of its communicator.
uint64_t mpipp_recorder_window_identity(const struct mpipp_call *call, uint64_t *comm);

uint64_t mpipp_recorder_predefined_identity(const char *name);

#endif
