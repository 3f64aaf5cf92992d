// SPDX-License-Identifier: MIT
// Finds one record that stands for all datatypes with the same construction. The ledger keeps this
// record. So a program that creates its datatypes anew for each message is recorded as using the
// same datatype.
#ifndef MPIPP_RECORDER_LEDGER_DATATYPE_INTERNING_H
#define MPIPP_RECORDER_LEDGER_DATATYPE_INTERNING_H

#include "abi/seam.h"
#include "registry/object_store.h"

// The address of the record that stands for all datatypes built like this one; the record is kept
// from then on. Returns 0 if the datatype is unknown or freed, or another one has its handle now.
// The caller holds the lock.
MPIPP_SEAM uint64_t mpipp_recorder_equal_datatype_locked(uint64_t record, uint64_t handle);

// Finds this record without the lock, for a datatype that a call uses. Returns 0 if the table must
// be searched.
static inline uint64_t mpipp_equal_datatype(uint64_t record) {
  const struct mpipp_datatype *type = (const struct mpipp_datatype *)(uintptr_t)record;
  if (!type || MPIPP_READ(type->object.flags) & MPIPP_FLAG_ENDED) return 0;
  return MPIPP_READ(type->object.flags) & MPIPP_FLAG_PREDEFINED ? record : MPIPP_READ(type->alike);
}

#endif
