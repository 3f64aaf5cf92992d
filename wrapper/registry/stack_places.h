// SPDX-License-Identifier: MIT
// Places of calls with their callers, in processes that MPIPP_FRAMES asks to record them.
#ifndef MPIPP_REGISTRY_STACK_PLACES_H
#define MPIPP_REGISTRY_STACK_PLACES_H

#include "registry/records.h"

// The place of a call that returns to `caller`, with the frames around it: the address of a struct
// mpipp_stack_place. Equal stacks have the same one. It is the caller itself if the run wants no
// frames, if the stack is not found, or without memory. It may call the system's loader.
uint64_t mpipp_registry_stack_place(uint64_t caller);

#endif
