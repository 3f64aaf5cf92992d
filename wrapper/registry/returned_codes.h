// SPDX-License-Identifier: MIT
// Error codes that MPI returned to the program.
#ifndef MPIPP_REGISTRY_RETURNED_CODES_H
#define MPIPP_REGISTRY_RETURNED_CODES_H

#include <stdint.h>

enum { MPIPP_CODE_TEXT = 512 };

// A procedure that has returned one class of errors at one place.
struct mpipp_returned {
  uint32_t procedure; // index into the table of procedures
  int32_t error_class;
  uint64_t caller;            // return address of the first such call
  uint64_t times;             // of such calls
  uint64_t last;              // which of all failed calls was the last of these, from 1
  char text[MPIPP_CODE_TEXT]; // MPI's text for the first one's code
};

#endif
