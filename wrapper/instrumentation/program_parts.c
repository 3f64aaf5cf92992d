// SPDX-License-Identifier: MIT
#include "instrumentation/program_parts.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mpipp_program *first;
static struct mpipp_program called;
static struct mpipp_span looked[MPIPP_SPANS];
static uint64_t looked_count;
static void (*orders)(const volatile void *, int, const void *);
static void (*listener)(void); // called once, when a part is registered
int mpipp_instrument_programs_any;

static void take_out(const struct mpipp_program *program) {
  struct mpipp_program **place = &first;
  while (*place && *place != program) place = &(*place)->following;
  if (*place) *place = program->following;
}

static void set_functions(struct mpipp_program *program) {
  __atomic_store_n(&program->accesses, called.accesses, __ATOMIC_RELEASE);
  __atomic_store_n(&program->combs, called.combs, __ATOMIC_RELEASE);
  __atomic_store_n(&program->quickly, called.quickly, __ATOMIC_RELEASE);
  __atomic_store_n(&program->orders, orders, __ATOMIC_RELEASE);
}

// Calls it without the lock.
static void call_listener(void) {
  pthread_mutex_lock(&lock);
  void (*function)(void) = mpipp_instrument_programs_any ? listener : NULL;
  if (function) listener = NULL;
  pthread_mutex_unlock(&lock);
  if (function) function();
}

void mpipp_program_register(struct mpipp_program *program, int there) {
  if (program->version != MPIPP_PROGRAM_VERSION) return;
  pthread_mutex_lock(&lock);
  take_out(program);
  if (there) {
    program->following = first;
    first = program;
    set_functions(program);
    // The shadow must be mapped before an MPI library puts a window's memory at a random address
    // there.
    if (called.accesses) program->map();
    program->look(looked, looked_count);
  }
  mpipp_instrument_programs_any = first != NULL;
  pthread_mutex_unlock(&lock);
  call_listener();
}

void mpipp_instrument_programs_await(void (*function)(void)) {
  pthread_mutex_lock(&lock);
  listener = function;
  pthread_mutex_unlock(&lock);
  call_listener();
}

int mpipp_instrument_programs_between(uint64_t low, uint64_t high) {
  int found = 0;
  pthread_mutex_lock(&lock);
  for (struct mpipp_program *one = first; one && !found; one = one->following)
    found = (uint64_t)(uintptr_t)one >= low && (uint64_t)(uintptr_t)one < high;
  pthread_mutex_unlock(&lock);
  return found;
}

void mpipp_instrument_programs_order(void (*function)(const volatile void *, int, const void *)) {
  pthread_mutex_lock(&lock);
  __atomic_store_n(&orders, function, __ATOMIC_RELAXED);
  for (struct mpipp_program *one = first; one; one = one->following) set_functions(one);
  pthread_mutex_unlock(&lock);
}

int mpipp_instrument_programs_have_order(void) {
  return __atomic_load_n(&orders, __ATOMIC_RELAXED) != NULL;
}

int mpipp_instrument_programs_map(void) {
  return first && first->map();
}

void mpipp_instrument_programs_look(const struct mpipp_span *spans, uint64_t count) {
  pthread_mutex_lock(&lock);
  memcpy(looked, spans, count * sizeof *spans);
  looked_count = count;
  for (struct mpipp_program *one = first; one; one = one->following) one->look(spans, count);
  pthread_mutex_unlock(&lock);
}

void mpipp_instrument_programs_call(const struct mpipp_program *what) {
  pthread_mutex_lock(&lock);
  called = what ? *what : (struct mpipp_program){0};
  for (struct mpipp_program *one = first; one; one = one->following) set_functions(one);
  pthread_mutex_unlock(&lock);
}
