// SPDX-License-Identifier: MIT
// Loads and stores in pages that are guarded: the signal that they bring is taken down, and the
// page is opened, so that the program goes on.
#ifndef MPIPP_BUFFER_GUARD_FAULTS_FAULTS_H
#define MPIPP_BUFFER_GUARD_FAULTS_FAULTS_H

#include <stdint.h>

#include "registry/buffer_accesses.h"

// Makes room for what is taken down; 0 without, or where the machine does not tell what an
// instruction does.
int mpipp_guard_faults_open(void);
// Asked first of each fault: whether it was in pages of its own, and the thread is to go on.
extern int (*mpipp_guard_faults_other)(uint64_t address, void *context)
    __attribute__((visibility("hidden")));
// Looks for what walks stacks, which takes the loader's lock: before there is anything to guard.
void mpipp_guard_faults_prepare(void);
// Whether it needs no lock.
extern int mpipp_guard_walks_stacks __attribute__((visibility("hidden")));
// Sees to it that the handler is there; the program, or MPI, may have put its own in its place.
void mpipp_guard_faults_catch(void);
// The same, if it was not done some milliseconds ago.
void mpipp_guard_faults_catch_soon(void);
// Whether an operation's buffer was touched, by its request's number, as far as that is remembered.
int mpipp_guard_is_touched(uint64_t serial);
// This thread is about to touch these bytes, and that need not be taken down any more.
void mpipp_guard_faults_expect(uint64_t address, uint64_t bytes);
// Takes down one that the program is about to do, by itself: all but where it is from. next: a
// return address in the function that does it; buffer: where that begins.
void mpipp_guard_faults_take(const struct mpipp_touch *found, uint64_t next, uint64_t buffer);
// How many were taken down and not told.
extern uint64_t mpipp_guard_faults_count __attribute__((visibility("hidden")));
// Calls it for each of them, or of one operation (0: of all). Where it returns 1 that one is told,
// else it is kept.
void mpipp_guard_faults_each(uint64_t serial, int (*tell)(struct mpipp_touch *touch, void *with),
                             void *with);

#endif
