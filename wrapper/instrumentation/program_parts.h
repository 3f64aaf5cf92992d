// SPDX-License-Identifier: MIT
// The parts of the program that `mpipp cc` has compiled: its executable, and shared libraries.
#ifndef MPIPP_INSTRUMENTATION_PROGRAM_PARTS_H
#define MPIPP_INSTRUMENTATION_PROGRAM_PARTS_H

#include <stdint.h>

#include "instrumentation/in_program/interface.h"

// What each of them calls when it has been loaded, and before it is gone (MPIPP_PROGRAM_HERE).
__attribute__((visibility("default"))) mpipp_program_here_type mpipp_program_here;

// Whether there are any. They come as the system loads them.
extern int mpipp_instrument_programs_any __attribute__((visibility("hidden")));
// Called once there are any: now, or by the thread that loads the first.
void mpipp_instrument_programs_await(void (*function)(void));
// Sees to it that there is a shadow; 0 without.
int mpipp_instrument_programs_map(void);
// All of them look at what lies in these, which are MPIPP_SPANS at most.
void mpipp_instrument_programs_look(const struct mpipp_span *spans, uint64_t count);
// What they call, of which only these three members count; NULL: nothing. Also of those to come.
void mpipp_instrument_programs_call(const struct mpipp_program *called);

#endif
