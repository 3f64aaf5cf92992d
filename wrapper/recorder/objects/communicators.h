// SPDX-License-Identifier: MIT
// Records communicators and groups.
#ifndef MPIPP_RECORDER_OBJECTS_COMMUNICATORS_H
#define MPIPP_RECORDER_OBJECTS_COMMUNICATORS_H

#include "abi/seam.h"
#include "abi/vendor.h"
#include "registry/object_store.h"
#include "registry/records.h"

void mpipp_recorder_add_comm(const struct mpipp_call *call, MPI_Comm comm);
// Takes the handle from the freed communicator that had it, and closes that one's channels. The
// handle now belongs to a communicator that does not exist yet, or that is not recorded.
void mpipp_recorder_promise_comm(uint64_t handle);
// Records MPI_COMM_WORLD and MPI_COMM_SELF when MPI is initialized.
void mpipp_recorder_comm_start(void);
// Sets the process's rank in mpi://WORLD, for a program without MPI_COMM_WORLD. Call it before
// MPI_COMM_WORLD exists.
void mpipp_recorder_session_world(uint64_t session);
// 1 if MPI_COMM_WORLD exists; 0 in a program that uses only sessions.
MPIPP_SEAM extern int mpipp_recorder_has_world;
// The number of dimensions of the process grid of the call's communicator; 0 if it has none.
int mpipp_recorder_dimensions(const struct mpipp_call *call);
// The number of dimensions for which MPI stores values in arrays of `most` elements.
int mpipp_recorder_dimensions_up_to(const struct mpipp_call *call, int most);
void mpipp_recorder_add_group(const struct mpipp_call *call, MPI_Group group);

#endif
