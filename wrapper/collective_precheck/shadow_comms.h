// SPDX-License-Identifier: MIT
// Shadow communicators: they have the same processes as one of the program's communicators, windows
// or files, for the comparison of calls before they begin.
#ifndef MPIPP_COLLECTIVE_PRECHECK_SHADOW_COMMS_H
#define MPIPP_COLLECTIVE_PRECHECK_SHADOW_COMMS_H

#include "abi/vendor.h"
#include "intercept/hooks.h"
#include "registry/object_store.h"

// The communicator on which a collective call is compared.
struct mpipp_shadow {
  MPI_Comm comm;     // MPI_COMM_NULL: none
  uint64_t identity; // of the program's communicator, 0: unknown, or none
  int rank, size;    // on the shadow
  int inter;         // 1: of an intercommunicator, both of whose groups are on the shadow
  int missing;       // 1: there is none, though several processes take part
};

struct mpipp_shadow mpipp_precheck_shadow_of(const struct mpipp_passage *passage);

// Makes the shadow in the call that has made MPI_COMM_WORLD, a communicator, window or file, in all
// its processes. MPI orders nothing between the call and the next ones. There are no shadows before
// all processes of MPI_COMM_WORLD are known to make them, and none with processes of other worlds.
void mpipp_precheck_shadow_make(const struct mpipp_passage *passage);
// Makes the shadow in a blocking collective call on a communicator that a nonblocking call has
// made. It is the first call that has the same place among the calls there in all processes.
void mpipp_precheck_shadow_make_in_call(const struct mpipp_passage *passage);

// Equal in all processes of MPI_COMM_WORLD, and different in each run.
extern uint64_t mpipp_precheck_shadows_number MPIPP_HIDDEN;

// Returns whether there are none, since not all processes make them.
int mpipp_precheck_shadows_are_off(void);

void mpipp_precheck_shadow_free(MPI_Comm shadow);

#endif
