// SPDX-License-Identifier: MIT
// The attribute keys that the program has created.
#ifndef MPIPP_REGISTRY_KEYVALS_H
#define MPIPP_REGISTRY_KEYVALS_H

#include <stdint.h>

// A place in the program that creates keys.
struct mpipp_keyvals {
  uint64_t caller; // return address of the call
  uint64_t made, freed;
};

#endif
