// SPDX-License-Identifier: MIT
// Communicators and groups.
#ifndef MPIPP_COMMUNICATORS_H
#define MPIPP_COMMUNICATORS_H

#include "mpi/vendor.h"
#include "records/records.h"

void mpipp_comm_made(const struct mpipp_call *call, MPI_Comm comm);
void mpipp_comm_start(void); // MPI_COMM_WORLD and MPI_COMM_SELF, once MPI is initialised
void mpipp_group_made(const struct mpipp_call *call, MPI_Group group);

#endif
