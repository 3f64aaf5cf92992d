// SPDX-License-Identifier: MIT
// The root of what the debugger reads, and the state of this library as a whole.
#ifndef MPIPP_REGISTRY_H
#define MPIPP_REGISTRY_H

#include "generated/procedures.h"
#include "records/arena.h"
#include "records/records.h"

extern struct mpipp_registry mpipp_registry;

// Fills the root and its static tables; called once, at the first intercepted call.
void mpipp_registry_open(void);

// What a reader begins with, on pages of its own: a watched program has it in a file. Further
// variables of it follow in registry.c.
struct mpipp_published {
  struct mpipp_registry root;
  struct mpipp_arena arena;
  char roles[MPIPP_ROLES][24];
};
extern struct mpipp_published mpipp_published __attribute__((visibility("hidden")));

// Address of a copy of a procedure's parameter name, in memory that core files hold.
static inline uint64_t mpipp_role(unsigned role) {
  return (uint64_t)(uintptr_t)mpipp_published.roles[role];
}

// Whether an address is this library's code.
int mpipp_is_own(const void *address);

// The calls of threads that have ended.
static inline void mpipp_count_calls(const struct mpipp_thread *ended) {
  __atomic_fetch_add(&mpipp_registry.calls, ended->call.serial, __ATOMIC_RELAXED);
}

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
