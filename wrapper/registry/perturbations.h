// SPDX-License-Identifier: MIT
// What was done to calls so that errors show (perturb/), counted for each place in the program.
#ifndef MPIPP_REGISTRY_PERTURBATIONS_H
#define MPIPP_REGISTRY_PERTURBATIONS_H

#include <stdint.h>

// The last one is of all that find no other.
enum { MPIPP_PROVOKED = 1024 };

// In which way a call was made otherwise than the program has made it.
enum mpipp_way {
  MPIPP_WAY_NONE,
  MPIPP_WAY_CALLED,      // how many calls there were to which something can be done
  MPIPP_WAY_AT_ONCE,     // of these, that were chosen to be as they are
  MPIPP_WAY_WAITS,       // MPI was given it in the call `by`
  MPIPP_WAY_REPEATED,    // MPI was not given it: one like it before it waits
  MPIPP_WAY_COPIED,      // its data were copied in the call `by`, which completed it locally
  MPIPP_WAY_CUT,         // into so many parts
  MPIPP_WAY_OVERTAKES,   // MPI was given it before the call `by`, which came first
  MPIPP_WAY_FLUSHED,     // in between, so that MPI keeps that order
  MPIPP_WAY_DELAYED,     // so many milliseconds
  MPIPP_WAY_SYNCHRONOUS, // a standard send
  MPIPP_WAY_JUNK,        // in its buffer, until it was complete
  MPIPP_WAY_DENIED,      // it said "not yet"
  MPIPP_WAY_SHUFFLED,    // it asked for its requests in another order
};

struct mpipp_provoked {
  uint64_t caller;    // return address of the calls
  uint32_t procedure; // enum mpipp_proc
  uint32_t way;       // enum "way"; of the last one, and where there is none, 0
  uint64_t by_caller;
  uint32_t by_procedure;
  uint32_t padding;
  uint64_t times;
  uint64_t least, most; // of what is counted in such a way: parts, milliseconds
};

#endif
