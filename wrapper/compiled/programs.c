// SPDX-License-Identifier: MIT
#include "compiled/programs.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mpipp_program *first;
static void (*called)(uint64_t address, uint64_t bytes, int stores, uint64_t next);
static struct mpipp_span looked[MPIPP_SPANS];
static uint64_t looked_count;
int mpipp_programs_any;

static void take_out(const struct mpipp_program *program) {
  struct mpipp_program **place = &first;
  while (*place && *place != program) place = &(*place)->following;
  if (*place) *place = program->following;
}

__attribute__((visibility("default"))) void mpipp_program_here(struct mpipp_program *program,
                                                               int there) {
  if (program->version != MPIPP_PROGRAM_VERSION) return;
  pthread_mutex_lock(&lock);
  take_out(program);
  if (there) {
    program->following = first;
    first = program;
    __atomic_store_n(&program->accesses, called, __ATOMIC_RELEASE);
    program->look(looked, looked_count);
  }
  mpipp_programs_any = first != NULL;
  pthread_mutex_unlock(&lock);
}

int mpipp_programs_map(void) {
  return first && first->map();
}

void mpipp_programs_look(const struct mpipp_span *spans, uint64_t count) {
  pthread_mutex_lock(&lock);
  memcpy(looked, spans, count * sizeof *spans);
  looked_count = count;
  for (struct mpipp_program *one = first; one; one = one->following) one->look(spans, count);
  pthread_mutex_unlock(&lock);
}

void mpipp_programs_call(void (*accesses)(uint64_t address, uint64_t bytes, int stores,
                                          uint64_t next)) {
  pthread_mutex_lock(&lock);
  called = accesses;
  for (struct mpipp_program *one = first; one; one = one->following)
    __atomic_store_n(&one->accesses, accesses, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
}
