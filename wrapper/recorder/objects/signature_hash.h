// SPDX-License-Identifier: MIT
// Type signatures as numbers (mpipp/datatypes/signatures/hashing.py): equal signatures have equal
// digests, however they were built.
#ifndef MPIPP_RECORDER_OBJECTS_SIGNATURE_HASH_H
#define MPIPP_RECORDER_OBJECTS_SIGNATURE_HASH_H

#include "registry/records.h"

struct mpipp_digest {
  uint64_t hash[2];
  uint64_t power[2]; // of the points, to the number of elements
  uint64_t elements;
  uint64_t bits; // MPIPP_LETTER_: what the rules say more of than that it is equal
};

// Of a datatype that a call is using: computed once, and kept with its record; NULL if it is not
// known, for want of memory. Constant time; of a new one linear in its constructor's arguments.
const struct mpipp_digest *mpipp_recorder_digest_of(struct mpipp_datatype *type);

// Of count copies, in the logarithm of their number; and of one signature behind another.
struct mpipp_digest mpipp_recorder_digest_repeated(struct mpipp_digest part, uint64_t count);
struct mpipp_digest mpipp_recorder_digest_concatenate(struct mpipp_digest first,
                                                      struct mpipp_digest second);

#endif
