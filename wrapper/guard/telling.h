// SPDX-License-Identifier: MIT
// The watcher is asked about what was found.
#ifndef MPIPP_TELLING_H
#define MPIPP_TELLING_H

#include "guard/faults.h"

// A load or store in the buffer of an operation that has not ended since; each place is asked about
// once. In a call of MPI, without the guard's lock.
void mpipp_tell_touch(const struct mpipp_touch *touch);

#endif
