// SPDX-License-Identifier: MIT
#include "perturb/random.h"

#include <stdlib.h>

#include "generated/procedures.h"
#include "registry/object_store.h"
#include "registry/registry.h"

enum { BUFFERED_IN = 4 }; // with one seed in 4, standard sends stay as they are

static uint64_t seed;
static uint32_t calls[MPIPP_PROCEDURES]; // number of calls of each procedure
static _Thread_local uint64_t state, of_call;

// The SplitMix64 generator, from Steele, Lea, Flood: Fast splittable pseudorandom number
// generators.
static uint64_t next(uint64_t *from) {
  uint64_t found = *from += 0x9E3779B97F4A7C15u;
  found = (found ^ found >> 30) * 0xBF58476D1CE4E5B9u;
  found = (found ^ found >> 27) * 0x94D049BB133111EBu;
  return found ^ found >> 31;
}

void mpipp_perturb_chance_open(const char *text) {
  seed = strtoull(text, NULL, 10);
}

void mpipp_perturb_chance_begin_at(uint32_t place, uint32_t time) {
  uint64_t own = seed, at = (uint64_t)place << 32 | time;
  state = next(&own) ^ (uint64_t)(mpipp_registry.world_rank + 1) << 40;
  state += mpipp_perturb_chance_of(at);
  of_call = state = next(&state);
}

// The number of tests and probes in a program depends on timing. So the choices for other calls do
// not depend on that number.
void mpipp_perturb_chance_begin(unsigned procedure) {
  mpipp_perturb_chance_begin_at(procedure,
                                __atomic_add_fetch(&calls[procedure], 1, __ATOMIC_RELAXED));
}

void mpipp_perturb_chance_part(uint64_t part) {
  state = of_call ^ mpipp_perturb_chance_of(part);
}

uint64_t mpipp_perturb_chance_of(uint64_t number) {
  return next(&number);
}

uint64_t mpipp_perturb_chance(uint64_t below) {
  return next(&state) % below;
}

int mpipp_perturb_is_synchronous(void) {
  return seed % BUFFERED_IN != 0;
}
