// SPDX-License-Identifier: MIT
// The error codes and null handles that MPI has returned to the program.
#ifndef MPIPP_REGISTRY_RETURNED_CODES_H
#define MPIPP_REGISTRY_RETURNED_CODES_H

#include <stdint.h>

enum { MPIPP_CODE_TEXT = 512 };

// A place in the program, a procedure, and the class of the errors that it has returned there.
struct mpipp_returned {
  uint32_t procedure;         // index into the table of procedures
  int32_t error_class;        // MPI_SUCCESS: the procedure returned MPI_COMM_NULL
  uint64_t caller;            // return address of the first such call
  uint64_t times;             // number of calls that returned such a code or handle
  uint64_t last;              // ordinal, among all noted calls, of the last such call, from 1
  char text[MPIPP_CODE_TEXT]; // MPI's text for the first such code
};

#endif
