// SPDX-License-Identifier: MIT
// The root of the data that the debugger reads, and the state of the library as a whole.
#ifndef MPIPP_REGISTRY_REGISTRY_H
#define MPIPP_REGISTRY_REGISTRY_H

#include "abi/seam.h"
#include "generated/procedures.h"
#include "registry/buffer_accesses.h"
#include "registry/guard_coverage.h"
#include "registry/perturbations.h"
#include "registry/records.h"
#include "registry/rma_log_entry.h"
#include "registry/root.h"
#include "registry/shared_arena.h"

MPIPP_SEAM extern struct mpipp_registry mpipp_registry;

// Fills the root and its static tables. Called once, at the first intercepted call.
void mpipp_registry_open(void);

// The data that readers need first, on pages of its own, because a watched program has these pages
// in a file. More variables in these pages follow in registry.c.
struct mpipp_published_data {
  struct mpipp_registry root;
  struct mpipp_arena arena;
  char roles[MPIPP_ROLES][24];
};
MPIPP_SEAM extern struct mpipp_published_data mpipp_registry_published;

// The tables of object kinds, of threads, and of other records that readers find by name.
struct mpipp_table *mpipp_registry_object_tables(void);
struct mpipp_table *mpipp_registry_thread_table(void);
struct mpipp_table *mpipp_registry_breach_table(void);
struct mpipp_table *mpipp_registry_python_table(void);
struct mpipp_table *mpipp_registry_stack_table(void);
MPIPP_SEAM struct mpipp_table *mpipp_registry_touch_table(void);
MPIPP_SEAM struct mpipp_table *mpipp_registry_cover_table(void);
MPIPP_SEAM struct mpipp_table *mpipp_registry_perturbation_table(void);
struct mpipp_table *mpipp_registry_times_table(void);
struct mpipp_table *mpipp_registry_returned_table(void);
struct mpipp_table *mpipp_registry_keyval_table(void);

// Sets a bit of `hindrances`. Signal handlers may call it.
static inline void mpipp_note_hindrance(enum mpipp_hindrance by) {
  __atomic_fetch_or(&mpipp_registry.hindrances, (uint64_t)by, __ATOMIC_RELAXED);
}

void mpipp_registry_add_constant(const char *name, int64_t value);

// The address of a procedure's parameter name, in memory that core files contain.
static inline uint64_t mpipp_role(unsigned role) {
  return (uint64_t)(uintptr_t)mpipp_registry_published.roles[role];
}

// Adds the calls of a thread that has ended to the total.
static inline void mpipp_count_calls(const struct mpipp_thread *ended) {
  __atomic_fetch_add(&mpipp_registry.calls, ended->call.serial, __ATOMIC_RELAXED);
}

// The distance in bytes from a function's frame address to its return address; 0 if it is not
// constant.
#ifdef __x86_64__
#define MPIPP_RETURN_SLOT 8
#else
#define MPIPP_RETURN_SLOT 0
#endif

#endif
