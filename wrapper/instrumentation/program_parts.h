// SPDX-License-Identifier: MIT
// The parts of the program that `mpipp cc` has compiled: its executable, and shared libraries.
#ifndef MPIPP_INSTRUMENTATION_PROGRAM_PARTS_H
#define MPIPP_INSTRUMENTATION_PROGRAM_PARTS_H

#include <stdint.h>

#include "abi/seam.h"
#include "instrumentation/in_program/interface.h"

// Each of them calls it when it has been loaded, and before it is gone (MPIPP_PROGRAM_REGISTER).
MPIPP_SEAM mpipp_program_register_type mpipp_program_register;

// 1 if any part of the program is instrumented. Parts appear when the system loads them.
MPIPP_SEAM extern int mpipp_instrument_programs_any;
// Calls `function` once there is such a part: now, or in the thread that loads the first.
void mpipp_instrument_programs_await(void (*function)(void));
// Makes the shadow; 0 without.
int mpipp_instrument_programs_map(void);
// Sets the ranges that all of them check, at most MPIPP_SPANS.
void mpipp_instrument_programs_look(const struct mpipp_span *spans, uint64_t count);
// Sets the functions that they call, present and later parts. Only these three members count; NULL:
// none.
void mpipp_instrument_programs_call(const struct mpipp_program *called);

#endif
