// SPDX-License-Identifier: MIT
// Communicators and groups.
#ifndef MPIPP_RECORDER_OBJECTS_COMMUNICATORS_H
#define MPIPP_RECORDER_OBJECTS_COMMUNICATORS_H

#include "abi/seam.h"
#include "abi/vendor.h"
#include "registry/object_store.h"
#include "registry/records.h"

void mpipp_recorder_add_comm(const struct mpipp_call *call, MPI_Comm comm);
// The handle now belongs to a communicator that is yet to be made, or of which nothing is known. It
// is no longer that of a freed one, nor are its channels.
void mpipp_recorder_promise_comm(uint64_t handle);
void mpipp_recorder_comm_start(void); // Records MPI_COMM_WORLD and MPI_COMM_SELF, once MPI is
                                      // initialized
// The process belongs to mpi://WORLD, where it has a rank without MPI_COMM_WORLD; called before
// that exists.
void mpipp_recorder_session_world(uint64_t session);
// True if MPI_COMM_WORLD exists: not in a program that uses sessions only.
MPIPP_SEAM extern int mpipp_recorder_has_world;
// The number of dimensions of the call's communicator: 0 without a process grid.
int mpipp_recorder_dimensions(const struct mpipp_call *call);
void mpipp_recorder_add_group(const struct mpipp_call *call, MPI_Group group);

#endif
