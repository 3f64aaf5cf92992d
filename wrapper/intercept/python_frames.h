// SPDX-License-Identifier: MIT
// Where programs in Python call MPI. All of mpi4py's calls come from its own module, whose code
// tells nothing of the program: the line of Python is in the interpreter's frames, which this
// thread alone changes, and which are read there without a call of the interpreter's that needs its
// lock.
#ifndef MPIPP_INTERCEPT_PYTHON_FRAMES_H
#define MPIPP_INTERCEPT_PYTHON_FRAMES_H

// Once MPI's code is known: places of calls are lines of Python from now on, if mpi4py is loaded.
void mpipp_intercept_python_open(void);

#endif
