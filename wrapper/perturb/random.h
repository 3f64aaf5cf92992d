// SPDX-License-Identifier: MIT
// Random choices. They depend on the seed, the process's rank, and the ordinal of its call among
// those of the procedure. So the same seed makes the same choices.
#ifndef MPIPP_PERTURB_RANDOM_H
#define MPIPP_PERTURB_RANDOM_H

#include <stdint.h>

// seed: the text in the environment.
void mpipp_perturb_chance_open(const char *seed);
// Begins the choices for the thread's call.
void mpipp_perturb_chance_begin(unsigned procedure);
// Begins the choices for a call whose ordinal among all may differ in the next run.
void mpipp_perturb_chance_begin_at(uint32_t place, uint32_t time);
// For a part of that call: its choices do not depend on earlier ones.
void mpipp_perturb_chance_part(uint64_t part);
// A number that depends on another one.
uint64_t mpipp_perturb_chance_of(uint64_t number);
// A number below that, for the thread's call.
uint64_t mpipp_perturb_chance(uint64_t below);
// Returns whether standard sends are synchronous: equal in all processes, all the time.
int mpipp_perturb_is_synchronous(void);

#endif
