// SPDX-License-Identifier: MIT
// Detects loads and stores to guarded pages. The signal handler records the access, and opens the
// page, so that the program continues.
#ifndef MPIPP_BUFFER_GUARD_FAULTS_FAULTS_H
#define MPIPP_BUFFER_GUARD_FAULTS_FAULTS_H

#include <stdint.h>

#include "abi/seam.h"
#include "registry/buffer_accesses.h"

// Allocates the table of accesses. Returns 0 without memory, or on a processor whose faults do not
// show whether they were loads or stores.
int mpipp_guard_faults_open(void);
// A function of another part that is called first at each fault. The function returns whether it
// has handled the fault, so that the thread continues.
MPIPP_SEAM extern int (*mpipp_guard_faults_first_handler)(uint64_t address, void *context);
// Loads the library that walks stacks. Loading takes the loader's lock, so it is done before
// anything is guarded.
MPIPP_SEAM void mpipp_guard_faults_prepare(void);
// 1 if walking a stack takes no lock.
MPIPP_SEAM extern int mpipp_guard_walks_stacks;
// Installs the handler again, since the program or MPI may have replaced it.
MPIPP_SEAM void mpipp_guard_faults_catch(void);
// Installs the handler again, unless the last call was less than some milliseconds ago.
void mpipp_guard_faults_refresh(void);
// Returns whether the program has accessed a buffer of the operation with this request serial. Only
// the last few operations are remembered.
int mpipp_guard_was_accessed(uint64_t serial);
// Announces an access of this thread that is not to be recorded.
void mpipp_guard_faults_expect(uint64_t address, uint64_t bytes);
// Records an access that the program is about to make, without a fault. `found` describes it,
// except for the callers. next: a return address in the function that makes the access. buffer: the
// first address of the accessed buffer.
void mpipp_guard_faults_record(const struct mpipp_touch *found, uint64_t next, uint64_t buffer);
// The number of recorded accesses that are not reported yet.
MPIPP_SEAM extern uint64_t mpipp_guard_faults_count;
// Calls `tell` for each access that is not reported, or only for those of one operation (serial; 0:
// all). If `tell` returns 1 the access counts as reported, else it is kept.
void mpipp_guard_faults_visit(uint64_t serial, int (*tell)(struct mpipp_touch *touch, void *with),
                              void *with);

#endif
