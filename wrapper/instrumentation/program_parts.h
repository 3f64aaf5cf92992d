// SPDX-License-Identifier: MIT
// The parts of the program that `mpipp cc` has compiled: its executable, and shared libraries.
#ifndef MPIPP_INSTRUMENTATION_PROGRAM_PARTS_H
#define MPIPP_INSTRUMENTATION_PROGRAM_PARTS_H

#include <stdint.h>

#include "abi/seam.h"
#include "instrumentation/in_program/interface.h"

// Each part calls this function when it was loaded, and before it is unloaded
// (MPIPP_PROGRAM_REGISTER).
MPIPP_SEAM mpipp_program_register_type mpipp_program_register;

// 1 if any part of the program is instrumented. Parts are registered when the system loads them.
MPIPP_SEAM extern int mpipp_instrument_programs_any;
// Calls `function` when there is a part: now, or in the thread that loads the first one.
void mpipp_instrument_programs_await(void (*function)(void));
// Maps the shadow. Returns 0 if that fails.
int mpipp_instrument_programs_map(void);
// Returns whether a part is in these addresses.
MPIPP_SEAM int mpipp_instrument_programs_between(uint64_t low, uint64_t high);
// Sets the function that all parts call at atomic operations, also those that are loaded later.
MPIPP_SEAM void mpipp_instrument_programs_order(void (*function)(const volatile void *address,
                                                                 int acquires, const void *place));
// Returns whether that function was set: then several threads may exist.
int mpipp_instrument_programs_have_order(void);
// Sets the ranges that all parts check, at most MPIPP_SPANS.
void mpipp_instrument_programs_look(const struct mpipp_span *spans, uint64_t count);
// Sets the functions that all parts call, also those that are loaded later. Only the three function
// pointers of `called` are used; NULL: none.
void mpipp_instrument_programs_call(const struct mpipp_program *called);

#endif
