// SPDX-License-Identifier: MIT
// The fingerprint of a collective call: terms that each process adds to sums. The sums are zero if
// the calls of all processes agree.
#ifndef MPIPP_COLLECTIVE_PRECHECK_FINGERPRINT_H
#define MPIPP_COLLECTIVE_PRECHECK_FINGERPRINT_H

#include "registry/records.h"

// The terms of a call: two sums, modulo 2^64.
struct mpipp_terms {
  uint64_t sums[2];
};

// The position of a process in the comparison: its rank and the size of the shadow communicator.
// inter: 1 for an intercommunicator, whose groups have different roles.
struct mpipp_position {
  int rank, size, inter;
};

// The terms of a blocking collective call. For a value that must be equal in all processes, each
// process adds it with its own weight, and subtracts it with the next rank's. A transfer is added
// by the sender and subtracted by the receiver. Unknown values, and values that may differ, have no
// terms.
struct mpipp_terms mpipp_precheck_terms_of(const struct mpipp_call *call,
                                           struct mpipp_position place);

// Mixes one more word into a hash.
static inline uint64_t mpipp_mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0xBF58476D1CE4E5B9u;
  return hash ^ hash >> 29;
}

// Returns both sums of the terms as one number. MPI reduces one word in half the time of two.
static inline uint64_t mpipp_fold_terms(struct mpipp_terms terms) {
  return terms.sums[0] + 0x94D049BB133111EBu * terms.sums[1];
}

#endif
