// SPDX-License-Identifier: MIT
// The terms that a process adds to sums that become zero if the calls of all processes agree.
#ifndef MPIPP_COLLECTIVE_PRECHECK_FINGERPRINT_H
#define MPIPP_COLLECTIVE_PRECHECK_FINGERPRINT_H

#include "registry/records.h"

// Two sums, modulo 2^64.
struct mpipp_terms {
  uint64_t sums[2];
};

// The process's position in the comparison: rank and size on the shadow; inter: an
// intercommunicator, whose groups have roles of their own.
struct mpipp_position {
  int rank, size, inter;
};

// The terms of a blocking collective call. Values that must be equal everywhere form a ring over
// the ranks. A transfer is added by one process and subtracted by the other. Unknown values, and
// those that may be anything, have no terms.
struct mpipp_terms mpipp_precheck_terms_of(const struct mpipp_call *call,
                                           struct mpipp_position place);

// A hash with one more word in it.
static inline uint64_t mpipp_mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0xBF58476D1CE4E5B9u;
  return hash ^ hash >> 29;
}

// Both sums as one number: the library may treat two words otherwise, in twice the time.
static inline uint64_t mpipp_fold_terms(struct mpipp_terms terms) {
  return terms.sums[0] + 0x94D049BB133111EBu * terms.sums[1];
}

#endif
