// SPDX-License-Identifier: MIT
// One record for all datatypes that are built equally, which the ledger keeps for long. So a
// program that makes its datatypes anew for every message is recorded as using the same ones.
#ifndef MPIPP_RECORDER_LEDGER_DATATYPE_INTERNING_H
#define MPIPP_RECORDER_LEDGER_DATATYPE_INTERNING_H

#include "abi/seam.h"
#include "registry/object_store.h"

// With the lock held: the address of the record that stands for all datatypes built like this one.
// It is kept from then on. 0 if the datatype is unknown, freed, or its handle is another datatype's
// by now.
MPIPP_SEAM uint64_t mpipp_recorder_equal_datatype_locked(uint64_t record, uint64_t handle);

// The same without the lock, for a datatype that a call uses; 0 if a search is needed.
static inline uint64_t mpipp_equal_datatype(uint64_t record) {
  const struct mpipp_datatype *type = (const struct mpipp_datatype *)(uintptr_t)record;
  if (!type || MPIPP_READ(type->object.flags) & MPIPP_FLAG_ENDED) return 0;
  return MPIPP_READ(type->object.flags) & MPIPP_FLAG_PREDEFINED ? record : MPIPP_READ(type->alike);
}

#endif
