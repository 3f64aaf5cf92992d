// SPDX-License-Identifier: MIT
// Differences between versions of an MPI library. They are found at run time, because one build of
// the wrapper serves all versions with the same ABI.
#ifndef MPIPP_ABI_LIBRARY_VERSION_H
#define MPIPP_ABI_LIBRARY_VERSION_H

#include "abi/seam.h"
#include "abi/vendor.h"

// Returns whether the library certainly has a predefined datatype that mpi.h defines. MPICH ends a
// program that queries the size of a datatype that it does not have.
int mpipp_abi_has_datatype(MPI_Datatype datatype);

// Returns whether a persistent request stays unchanged when MPI_Request_get_status has found it
// complete. MPICH 5.0 makes it inactive, so that MPI_Wait has no status to return.
MPIPP_SEAM int mpipp_abi_keeps_persistent_requests(void);

// Returns whether a get can be complete, outside of lock epochs, before its data is there. This is
// an error of MPICH 4.0. Assumed for libraries with MPICH's ABI and an unknown version.
#ifndef MPIPP_FOR_OPENMPI
MPIPP_SEAM int mpipp_abi_completes_gets_early(void);
#endif

#endif
