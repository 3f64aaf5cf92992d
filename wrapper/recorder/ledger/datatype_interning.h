// SPDX-License-Identifier: MIT
// One record for all datatypes that are built alike: what is kept for long names that one, so that
// a program that makes its datatypes anew for every message is said to use the same ones.
#ifndef MPIPP_RECORDER_LEDGER_DATATYPE_INTERNING_H
#define MPIPP_RECORDER_LEDGER_DATATYPE_INTERNING_H

#include "registry/object_store.h"

// With the lock held: the address of the record that stands for all that are built like this one,
// which is kept from then on; 0 if it is not known, has been freed, or is another handle's by now.
uint64_t mpipp_recorder_equal_datatype_locked(uint64_t record, uint64_t handle);

// The same without the lock, of a datatype that a call is using; 0 where it must be looked for.
static inline uint64_t mpipp_equal_datatype(uint64_t record) {
  const struct mpipp_datatype *type = (const struct mpipp_datatype *)(uintptr_t)record;
  if (!type || MPIPP_READ(type->object.flags) & MPIPP_FLAG_ENDED) return 0;
  return MPIPP_READ(type->object.flags) & MPIPP_FLAG_PREDEFINED ? record : MPIPP_READ(type->alike);
}

#endif
