// SPDX-License-Identifier: MIT
// Type signatures as numbers (mpipp/datatypes/signatures/hashing.py): equal signatures have equal
// fingerprints, with any construction of the datatype.
#ifndef MPIPP_RECORDER_OBJECTS_SIGNATURE_HASH_H
#define MPIPP_RECORDER_OBJECTS_SIGNATURE_HASH_H

#include "abi/seam.h"
#include "registry/records.h"

struct mpipp_fingerprint {
  uint64_t hash[2];
  uint64_t power[2]; // powers of the points, to the number of elements
  uint64_t elements;
  uint64_t bits; // MPIPP_LETTER_: facts that the matching rules need beyond equality
};

// The fingerprint of a datatype that a call uses: computed once, and kept with its record. NULL if
// it is unknown, for lack of memory. Constant time; for a new one linear in its constructor's
// arguments.
MPIPP_SEAM const struct mpipp_fingerprint *
mpipp_recorder_fingerprint_of(struct mpipp_datatype *type);

// The fingerprint of count copies, in logarithmic time; and of one signature behind another.
MPIPP_SEAM struct mpipp_fingerprint mpipp_recorder_fingerprint_repeat(struct mpipp_fingerprint part,
                                                                      uint64_t count);
struct mpipp_fingerprint mpipp_recorder_fingerprint_concatenate(struct mpipp_fingerprint first,
                                                                struct mpipp_fingerprint second);

#endif
