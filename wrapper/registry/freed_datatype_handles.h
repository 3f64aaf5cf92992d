// SPDX-License-Identifier: MIT
// Handles of freed datatypes that have no record, or whose record was reused. The recorder must not
// query MPI about them.
#ifndef MPIPP_REGISTRY_FREED_DATATYPE_HANDLES_H
#define MPIPP_REGISTRY_FREED_DATATYPE_HANDLES_H

#include <stdint.h>

// These two functions need the lock if other threads may call MPI.
void mpipp_registry_freed_handles_add(uint64_t handle);
// MPI has reused the handle for a new datatype.
void mpipp_registry_freed_handles_remove(uint64_t handle);
// Takes no lock. If there was no memory for a handle, it returns 1 for every handle.
int mpipp_registry_freed_handles_has(uint64_t handle);

#endif
