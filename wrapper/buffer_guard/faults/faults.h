// SPDX-License-Identifier: MIT
// Loads and stores in guarded pages. The handler of their signal records the access, and opens the
// page, so that the program continues.
#ifndef MPIPP_BUFFER_GUARD_FAULTS_FAULTS_H
#define MPIPP_BUFFER_GUARD_FAULTS_FAULTS_H

#include <stdint.h>

#include "abi/seam.h"
#include "registry/buffer_accesses.h"

// Allocates memory for the records. Returns 0 without memory, or if the processor does not show
// what an instruction does.
int mpipp_guard_faults_open(void);
// A function that is called first at each fault: returns whether the page is its own, and the
// thread continues.
MPIPP_SEAM extern int (*mpipp_guard_faults_first_handler)(uint64_t address, void *context);
// Loads the library that walks stacks, which takes the loader's lock: before anything is guarded.
MPIPP_SEAM void mpipp_guard_faults_prepare(void);
// 1 if a stack walk needs no lock.
MPIPP_SEAM extern int mpipp_guard_walks_stacks;
// Installs the handler; the program, or MPI, may have replaced it.
MPIPP_SEAM void mpipp_guard_faults_catch(void);
// Installs the handler, unless that was done in the last milliseconds.
void mpipp_guard_faults_refresh(void);
// Returns whether a buffer of an operation was accessed. serial: of its request. A later access to
// the buffer of another operation may make it forget.
int mpipp_guard_was_accessed(uint64_t serial);
// This thread is about to access these bytes, and that need not be recorded.
void mpipp_guard_faults_expect(uint64_t address, uint64_t bytes);
// Records an access that the program is about to make, without a fault: `found` has everything
// except the callers. next: a return address in the function that makes it; buffer: where that
// begins.
void mpipp_guard_faults_record(const struct mpipp_touch *found, uint64_t next, uint64_t buffer);
// The number of recorded accesses that are not reported.
MPIPP_SEAM extern uint64_t mpipp_guard_faults_count;
// Calls `tell` for each of these accesses, or only for those of one operation (serial; 0: all). If
// `tell` returns 1 the access is reported, else it is kept.
void mpipp_guard_faults_visit(uint64_t serial, int (*tell)(struct mpipp_touch *touch, void *with),
                              void *with);

#endif
