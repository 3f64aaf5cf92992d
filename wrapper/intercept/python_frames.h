// SPDX-License-Identifier: MIT
// The places where programs in Python call MPI. All of mpi4py's calls come from its own module,
// whose code shows nothing of the program. The line of Python is in the interpreter's frames, which
// only this thread changes. They are read there, without a function of the interpreter that needs
// its lock.
#ifndef MPIPP_INTERCEPT_PYTHON_FRAMES_H
#define MPIPP_INTERCEPT_PYTHON_FRAMES_H

// Call it once MPI's code is known: if mpi4py is loaded, places of calls are lines of Python from
// now on.
void mpipp_intercept_python_open(void);

#endif
