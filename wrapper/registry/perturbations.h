// SPDX-License-Identifier: MIT
// The perturbations of calls (perturb/), counted for each place in the program.
#ifndef MPIPP_REGISTRY_PERTURBATIONS_H
#define MPIPP_REGISTRY_PERTURBATIONS_H

#include <stdint.h>

// The size of the table. The last entry is for all places for which the table has no space.
enum { MPIPP_PROVOKED = 1024 };

// The ways in which a call was perturbed, or why it was not.
enum mpipp_way {
  MPIPP_WAY_NONE,
  MPIPP_WAY_CALLED,      // number of calls that could be perturbed
  MPIPP_WAY_AT_ONCE,     // number of calls that were chosen to stay unchanged
  MPIPP_WAY_WAITS,       // the operation waited, and MPI got it in the call `by`
  MPIPP_WAY_REPEATED,    // MPI did not get the operation, because an equal one is waiting
  MPIPP_WAY_COPIED,      // its data was copied in the call `by`, which completes it locally
  MPIPP_WAY_CUT,         // it was split into parts
  MPIPP_WAY_OVERTAKES,   // MPI got it before the operation of the call `by`, which the program had
                         // started earlier
  MPIPP_WAY_FLUSHED,     // a flush was inserted, so that MPI keeps the new order
  MPIPP_WAY_DELAYED,     // it was delayed by some milliseconds
  MPIPP_WAY_SYNCHRONOUS, // a standard send became synchronous
  MPIPP_WAY_JUNK,        // its receive buffer had a fill pattern until it was complete
  MPIPP_WAY_DENIED,      // a test call returned "not yet"
  MPIPP_WAY_SHUFFLED,    // the requests were passed to MPI in another order
};

struct mpipp_provoked {
  uint64_t caller;    // return address of the calls
  uint32_t procedure; // enum mpipp_proc
  uint32_t way;       // enum "way"; 0 in the last entry, and in unused ones
  uint64_t by_caller;
  uint32_t by_procedure;
  uint32_t padding;
  uint64_t times;
  uint64_t least, most; // least and largest of the counted amounts: parts, milliseconds
};

#endif
