// SPDX-License-Identifier: MIT
// What a process adds to the sum that vanishes where the calls of all processes agree.
#ifndef MPIPP_COLLECTIVE_PRECHECK_FINGERPRINT_H
#define MPIPP_COLLECTIVE_PRECHECK_FINGERPRINT_H

#include "registry/records.h"

// Two sums, modulo 2^64.
struct mpipp_terms {
  uint64_t sums[2];
};

// Where a call is compared: rank and size on the shadow; inter: of an intercommunicator, whose
// groups have roles of their own.
struct mpipp_position {
  int rank, size, inter;
};

// The terms of a blocking collective call. Equal on all sides: ring over the ranks. What one sends
// to another: once added and once taken off. No terms for what is not known, or any value allowed.
struct mpipp_terms mpipp_precheck_terms_of(const struct mpipp_call *call,
                                           struct mpipp_position place);

// A hash with one more word in it.
static inline uint64_t mpipp_mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0xBF58476D1CE4E5B9u;
  return hash ^ hash >> 29;
}

// Both sums as one: of two words the library may make something else, in twice the time.
static inline uint64_t mpipp_one_word(struct mpipp_terms terms) {
  return terms.sums[0] + 0x94D049BB133111EBu * terms.sums[1];
}

#endif
