// SPDX-License-Identifier: MIT
// The places at which Python programs call MPI. All calls of mpi4py come from its own module, whose
// code shows nothing of the program. The line of Python is in the interpreter's frames, which only
// this thread changes. This code reads them directly, because the interpreter's functions need its
// lock.
#ifndef MPIPP_INTERCEPT_PYTHON_FRAMES_H
#define MPIPP_INTERCEPT_PYTHON_FRAMES_H

// Call this when MPI's code is known. If mpi4py is loaded, places of calls are lines of Python from
// now on.
void mpipp_intercept_python_open(void);

#endif
