// SPDX-License-Identifier: MIT
// Recycling: the record of a freed object, to which nothing refers, serves for a new object.
//
// The recorder must not query MPI about the handle of a freed datatype. Here it keeps the handles
// of recycled datatype records, and of freed datatypes without a record.
#ifndef MPIPP_REGISTRY_RECYCLED_RECORDS_H
#define MPIPP_REGISTRY_RECYCLED_RECORDS_H

#include <stdint.h>

struct mpipp_object;

// The function that was passed to mpipp_registry_open_stores.
extern void (*mpipp_registry_forget)(struct mpipp_object *object);

// Puts the record on its store's list of free records. The caller holds the lock.
void mpipp_registry_recycle(struct mpipp_object **free_records, struct mpipp_object *object);
// Returns whether the caller may recycle a record that no handle reaches. Several threads may try:
// only the one that clears MPIPP_FLAG_UNLISTED may.
int mpipp_registry_claim_recycling(struct mpipp_object *object);

// `add` and `remove` need the lock if other threads may call MPI.
void mpipp_registry_freed_handles_add(uint64_t handle);
// Notes that MPI has reused the handle for a new datatype.
void mpipp_registry_freed_handles_remove(uint64_t handle);
// Takes no lock. If there was no memory for a handle, returns 1 for every handle.
int mpipp_registry_freed_handles_has(uint64_t handle);

#endif
