// SPDX-License-Identifier: MIT
// What remains of freed datatypes that have no record, or whose record has been recycled: their
// handles, about which MPI must not be asked.
#ifndef MPIPP_REGISTRY_FREED_DATATYPE_HANDLES_H
#define MPIPP_REGISTRY_FREED_DATATYPE_HANDLES_H

#include <stdint.h>

// Both with the lock held if other threads may call MPI.
void mpipp_registry_remains_add(uint64_t handle);
// MPI has given the handle out again.
void mpipp_registry_remains_remove(uint64_t handle);
// Takes no lock. Once there is no memory for more handles, it holds for every handle.
int mpipp_registry_remains_has(uint64_t handle);

#endif
