// SPDX-License-Identifier: MIT
// What is chosen: by the seed, the process's rank, and the ordinal of its call among those of that
// procedure, so that the same seed chooses the same.
#ifndef MPIPP_PERTURB_RANDOM_H
#define MPIPP_PERTURB_RANDOM_H

#include <stdint.h>

// seed: as the environment says it.
void mpipp_perturb_chance_open(const char *seed);
// For the call that the thread begins.
void mpipp_perturb_chance_begin(unsigned procedure);
// The same of which the ordinal among all is not certain to be alike in the next run.
void mpipp_perturb_chance_begin_at(uint32_t place, uint32_t time);
// For a part of that call: what it chooses does not depend on what was chosen before.
void mpipp_perturb_chance_part(uint64_t part);
// A number that is chosen by another.
uint64_t mpipp_perturb_chance_of(uint64_t number);
// A number below that, of the thread's call.
uint64_t mpipp_perturb_chance(uint64_t below);
// Whether standard sends are synchronous: the same in all processes, all the time.
int mpipp_perturb_is_synchronous(void);

#endif
