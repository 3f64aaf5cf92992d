// SPDX-License-Identifier: MIT
// Fingerprints of type signatures (mpipp/datatypes/signatures/hashing.py). Equal signatures have
// equal fingerprints, with any constructors of the datatypes.
#ifndef MPIPP_RECORDER_OBJECTS_SIGNATURE_HASH_H
#define MPIPP_RECORDER_OBJECTS_SIGNATURE_HASH_H

#include "abi/seam.h"
#include "registry/records.h"

struct mpipp_fingerprint {
  uint64_t hash[2];
  uint64_t power[2]; // the points, each to the power of the number of elements
  uint64_t elements;
  uint64_t bits; // bits MPIPP_LETTER_: facts for the matching rules that go beyond equality
};

// The fingerprint of a datatype that a call uses. The fingerprint is computed once, and kept with
// the datatype's record. Returns NULL if it is unknown, or without memory. The time is constant;
// for a new datatype it is linear in the number of its constructor's arguments.
MPIPP_SEAM const struct mpipp_fingerprint *
mpipp_recorder_fingerprint_of(struct mpipp_datatype *type);

// mpipp_recorder_fingerprint_repeat returns the fingerprint of `count` copies, in logarithmic time.
// mpipp_recorder_fingerprint_concatenate returns that of one signature followed by another.
MPIPP_SEAM struct mpipp_fingerprint mpipp_recorder_fingerprint_repeat(struct mpipp_fingerprint part,
                                                                      uint64_t count);
struct mpipp_fingerprint mpipp_recorder_fingerprint_concatenate(struct mpipp_fingerprint first,
                                                                struct mpipp_fingerprint second);

#endif
