// SPDX-License-Identifier: MIT
// The perturbations of calls (perturb/), counted for each place in the program.
#ifndef MPIPP_REGISTRY_PERTURBATIONS_H
#define MPIPP_REGISTRY_PERTURBATIONS_H

#include <stdint.h>

// The last one has all places that find no other.
enum { MPIPP_PROVOKED = 1024 };

// The ways in which a call was changed.
enum mpipp_way {
  MPIPP_WAY_NONE,
  MPIPP_WAY_CALLED,      // number of calls that can be perturbed
  MPIPP_WAY_AT_ONCE,     // of these, those that were chosen to stay unchanged
  MPIPP_WAY_WAITS,       // MPI got it in the call `by`
  MPIPP_WAY_REPEATED,    // MPI did not get it: an equal one before it waits
  MPIPP_WAY_COPIED,      // its data were copied in the call `by`, which completed it locally
  MPIPP_WAY_CUT,         // into so many parts
  MPIPP_WAY_OVERTAKES,   // MPI got it before the call `by`, which came first
  MPIPP_WAY_FLUSHED,     // in between, so that MPI keeps that order
  MPIPP_WAY_DELAYED,     // so many milliseconds
  MPIPP_WAY_SYNCHRONOUS, // a standard send
  MPIPP_WAY_JUNK,        // its buffer had a fill pattern until it was complete
  MPIPP_WAY_DENIED,      // it returned "not yet"
  MPIPP_WAY_SHUFFLED,    // it passed its requests in another order
};

struct mpipp_provoked {
  uint64_t caller;    // return address of the calls
  uint32_t procedure; // enum mpipp_proc
  uint32_t way;       // enum "way"; 0 in the last one, and in unused ones
  uint64_t by_caller;
  uint32_t by_procedure;
  uint32_t padding;
  uint64_t times;
  uint64_t least, most; // of the counted amounts: parts, milliseconds
};

#endif
