// SPDX-License-Identifier: MIT
#ifndef MPIPP_RMA_LOG_WINDOW_REFERENCES_H
#define MPIPP_RMA_LOG_WINDOW_REFERENCES_H

// Returns whether the loaded program may use windows. A program that calls MPI itself uses windows
// only if it, or one of its libraries, refers to a procedure for windows. A program that does not
// call MPI itself, such as Python, may load a library that uses windows later.
int mpipp_rma_program_may_use_windows(void);

#endif
