// SPDX-License-Identifier: MIT
// Places of calls together with their callers, in runs that record these (MPIPP_FRAMES).
#ifndef MPIPP_REGISTRY_STACK_PLACES_H
#define MPIPP_REGISTRY_STACK_PLACES_H

#include "registry/records.h"

// The place of a call that returns to `caller`: the address of a struct mpipp_stack_place with the
// frames around it. Equal stacks have the same record. Returns `caller` itself if the run records
// no frames, if the stack walk does not find it, or without memory. It may call the system's
// loader.
uint64_t mpipp_registry_stack_place(uint64_t caller);

#endif
