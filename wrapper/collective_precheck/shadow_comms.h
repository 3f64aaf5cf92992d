// SPDX-License-Identifier: MIT
// Shadow communicators, on which calls are compared before they begin. A shadow has the same
// processes as one of the program's communicators, windows or files.
#ifndef MPIPP_COLLECTIVE_PRECHECK_SHADOW_COMMS_H
#define MPIPP_COLLECTIVE_PRECHECK_SHADOW_COMMS_H

#include "abi/vendor.h"
#include "intercept/hooks.h"
#include "registry/object_store.h"

// The shadow communicator for a collective call.
struct mpipp_shadow {
  MPI_Comm comm;     // MPI_COMM_NULL: there is none
  uint64_t identity; // identity of the program's communicator; 0: unknown, or there is none
  int rank, size;    // in the shadow communicator
  int inter;         // 1: the shadow has both groups of an intercommunicator
  int missing;       // 1: there is no shadow, although several processes take part
};

struct mpipp_shadow mpipp_precheck_shadow_of(const struct mpipp_passage *passage);

// Creates the shadow for MPI_COMM_WORLD, a communicator, window or file, in the call that has
// created the object. All processes do this at the same point of their call sequence. There are no
// shadows until all processes of MPI_COMM_WORLD are known to create them, and none that include
// processes of other worlds.
void mpipp_precheck_shadow_make(const struct mpipp_passage *passage);
// Creates the shadow of a communicator that a nonblocking call has created. That happens in the
// first blocking collective call on the communicator, which is at the same point in the call
// sequence of all processes.
void mpipp_precheck_shadow_make_in_call(const struct mpipp_passage *passage);

// A number that is equal in all processes of MPI_COMM_WORLD, and different in each run.
extern uint64_t mpipp_precheck_shadows_number MPIPP_HIDDEN;

// Returns whether there are no shadows, because not all processes create them.
int mpipp_precheck_shadows_are_off(void);

void mpipp_precheck_shadow_free(MPI_Comm shadow);

#endif
