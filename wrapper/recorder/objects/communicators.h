// SPDX-License-Identifier: MIT
// Communicators and groups.
#ifndef MPIPP_RECORDER_OBJECTS_COMMUNICATORS_H
#define MPIPP_RECORDER_OBJECTS_COMMUNICATORS_H

#include "abi/vendor.h"
#include "registry/object_store.h"
#include "registry/records.h"

void mpipp_recorder_comm_made(const struct mpipp_call *call, MPI_Comm comm);
// The handle has been given out, for one that is yet to be made, or of which nothing is known: it
// is not that of a freed one any more, nor are its channels.
void mpipp_recorder_comm_promised(uint64_t handle);
void mpipp_recorder_comm_start(void); // MPI_COMM_WORLD and MPI_COMM_SELF, once MPI is initialized
// The process is one of mpi://WORLD, where it has a rank without MPI_COMM_WORLD; before that is
// there.
void mpipp_recorder_session_world(uint64_t session);
// Whether there is MPI_COMM_WORLD: not in a program of sessions alone.
extern int mpipp_recorder_has_world MPIPP_HIDDEN;
// How many dimensions the call's communicator has: 0 without a process grid.
int mpipp_recorder_dimensions(const struct mpipp_call *call);
void mpipp_recorder_group_made(const struct mpipp_call *call, MPI_Group group);

#endif
