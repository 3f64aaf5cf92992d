// SPDX-License-Identifier: MIT
// Random choices. They depend on the seed, the process's rank, and the ordinal of the call among
// those of its procedure. So the same seed makes the same choices.
#ifndef MPIPP_PERTURB_RANDOM_H
#define MPIPP_PERTURB_RANDOM_H

#include <stdint.h>

// Sets the seed, a text from the environment.
void mpipp_perturb_chance_open(const char *seed);
// Begins the choices for the thread's call.
void mpipp_perturb_chance_begin(unsigned procedure);
// Begins the choices for a call whose ordinal may differ in the next run, by its place and its
// ordinal there.
void mpipp_perturb_chance_begin_at(uint32_t place, uint32_t time);
// Begins the choices for a part of the call: they do not depend on earlier choices.
void mpipp_perturb_chance_part(uint64_t part);
// A random number that depends only on the seed and another number.
uint64_t mpipp_perturb_chance_of(uint64_t number);
// A random number less than `below`, for the thread's call.
uint64_t mpipp_perturb_chance(uint64_t below);
// Returns whether standard sends become synchronous. The answer is equal in all processes, for the
// whole run.
int mpipp_perturb_is_synchronous(void);

#endif
