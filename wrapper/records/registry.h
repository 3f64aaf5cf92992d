// SPDX-License-Identifier: MIT
// The root of what the debugger reads, and the state of this library as a whole.
#ifndef MPIPP_REGISTRY_H
#define MPIPP_REGISTRY_H

#include "records/records.h"

extern struct mpipp_registry mpipp_registry;

// Fills the root and its static tables; called once, at the first intercepted call.
void mpipp_registry_open(void);

// Address of a copy of a procedure's parameter name, in memory that core files hold.
extern char mpipp_roles[][24] __attribute__((visibility("hidden")));
static inline uint64_t mpipp_role(unsigned role) {
  return (uint64_t)(uintptr_t)mpipp_roles[role];
}

// Whether an address is this library's code.
int mpipp_is_own(const void *address);

// In the child of a fork.
void mpipp_forked(void);

// From a function's frame address to its return address, in bytes; 0 where it is not always the
// same.
#ifdef __x86_64__
#define MPIPP_RETURN_SLOT 8
#else
#define MPIPP_RETURN_SLOT 0
#endif

#endif
