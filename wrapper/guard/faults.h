// SPDX-License-Identifier: MIT
// Loads and stores in pages that are guarded: the signal that they bring is taken down, and the
// page is opened, so that the program goes on.
#ifndef MPIPP_FAULTS_H
#define MPIPP_FAULTS_H

#include <stdint.h>

enum { MPIPP_TOUCH_FRAMES = 16 };

// One that was not the program's right.
struct mpipp_touch {
  uint64_t serial, request; // the number and handle of the operation's request
  uint64_t address, stores; // stores: 1; loads: 0
  uint64_t tid;
  uint64_t count;                      // of
  uint64_t places[MPIPP_TOUCH_FRAMES]; // the instruction, and return addresses behind it
};

// Whether this machine tells what an instruction does.
int mpipp_faults_are_known(void);
// Sees to it that the handler is there; the program, or MPI, may have put its own in its place.
void mpipp_faults_catch(void);
// Whether any was taken down that was not read yet.
extern uint64_t mpipp_faults_taken __attribute__((visibility("hidden")));
extern uint64_t mpipp_faults_read __attribute__((visibility("hidden")));
static inline int mpipp_faults_any(void) {
  return __atomic_load_n(&mpipp_faults_taken, __ATOMIC_RELAXED) !=
         __atomic_load_n(&mpipp_faults_read, __ATOMIC_RELAXED);
}
// The next one that was taken down; 0: none. With the guard's lock.
int mpipp_faults_next(struct mpipp_touch *touch);

#endif
