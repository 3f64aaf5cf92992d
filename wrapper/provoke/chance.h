// SPDX-License-Identifier: MIT
// What is chosen: by the seed, the process's rank, and the ordinal of its call, so that the same
// seed chooses the same.
#ifndef MPIPP_CHANCE_H
#define MPIPP_CHANCE_H

#include <stdint.h>

// seed: as the environment says it.
void mpipp_chance_open(const char *seed);
// For the call that the thread begins.
void mpipp_chance_begin(void);
// A number below that, of the thread's call.
uint64_t mpipp_chance(uint64_t below);
// Whether standard sends are synchronous: the same in all processes, all the time.
int mpipp_is_synchronous(void);

#endif
