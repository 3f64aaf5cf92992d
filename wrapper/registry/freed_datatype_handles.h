// SPDX-License-Identifier: MIT
// Handles of freed datatypes that have no record, or whose record has been reused: MPI must not be
// asked about them.
#ifndef MPIPP_REGISTRY_FREED_DATATYPE_HANDLES_H
#define MPIPP_REGISTRY_FREED_DATATYPE_HANDLES_H

#include <stdint.h>

// Both with the lock held if other threads may call MPI.
void mpipp_registry_freed_handles_add(uint64_t handle);
// MPI has reused the handle.
void mpipp_registry_freed_handles_remove(uint64_t handle);
// Takes no lock. Once there is no memory for more handles, it holds for every handle.
int mpipp_registry_freed_handles_has(uint64_t handle);

#endif
