// SPDX-License-Identifier: MIT
// The creation, the end and the joining of threads, of POSIX and C.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "instrumentation/program_parts.h"
#include "rma_log/accesses.h"
#include "rma_log/log.h"
#include "thread_order/interposed.h"
#include "thread_order/visible_code.h"

// The types of C's threads: <threads.h> is missing in older C libraries.
typedef unsigned long mpipp_order_c_thread;
typedef int mpipp_order_c_routine(void *);
enum { C_SUCCESS = 0 };
enum { ROUNDS = 4 }; // rounds of destructors of a thread's data (PTHREAD_DESTRUCTOR_ITERATIONS)

// The data that a new thread needs to begin.
struct mpipp_order_birth {
  void *(*routine)(void *);
  int (*c_routine)(void *);
  void *argument;
  uint32_t number;
  struct mpipp_order_object object;
};

static pthread_key_t end_key;
static __thread int rounds __attribute__((tls_model("initial-exec")));
// The number of an ended thread that this thread has joined, for its next new thread; 0: none.
static __thread uint32_t free_number __attribute__((tls_model("initial-exec")));

static void order_atomics(const volatile void *address, int acquires, const void *place) {
  if (!mpipp_order_watches()) return;
  if (acquires)
    mpipp_order_acquire_at((const void *)address, place);
  else
    mpipp_order_release_at((const void *)address, place);
}

void mpipp_order_begin(void) {
  static int has_begun;
  if (!mpipp_rma_logs_onesided || __atomic_exchange_n(&has_begun, 1, __ATOMIC_RELAXED)) return;
  if (mpipp_order_has_silent_openmp(NULL)) return;
  uint32_t bits = MPIPP_LOG_OBSERVED;
  if (mpipp_order_sees_atomics()) bits |= MPIPP_LOG_ATOMICS;
  mpipp_rma_log_set_order(bits);
  mpipp_instrument_programs_order(order_atomics);
  __atomic_store_n(&mpipp_order_is_active, 1, __ATOMIC_RELAXED);
}

// The key of the object for a thread's end, which differs from addresses of the program's objects.
static const void *end_of(uint64_t thread) {
  return (const void *)(uintptr_t)(thread + 1);
}

// The thread's data are destroyed. Other destructors may still synchronize, so this one runs in
// each round.
static void end(void *unused) {
  if (mpipp_order_watches())
    mpipp_order_end_at(end_of((uint64_t)pthread_self()), mpipp_rma_log_thread.number);
  if (++rounds < ROUNDS) pthread_setspecific(end_key, unused);
}

// Another thread may have held the lock of an object when this process was created.
static void forget_in_child(void) {
  __atomic_store_n(&mpipp_order_is_active, 0, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void prepare_for_threads(void) {
  pthread_key_create(&end_key, end);
  pthread_atfork(NULL, NULL, forget_in_child);
}

static struct mpipp_order_birth *prepare(void *(*routine)(void *), int (*c_routine)(void *),
                                         void *argument, const void *place) {
  mpipp_order_begin();
  if (mpipp_order_watches() && mpipp_order_has_silent_openmp(place)) mpipp_order_lose();
  // MPI's own threads order nothing for the program.
  if (!mpipp_order_watches() || mpipp_order_is_in_mpi()) return NULL;
  struct mpipp_order_birth *birth = malloc(sizeof *birth);
  if (!birth) {
    mpipp_order_lose();
    return NULL;
  }
  *birth = (struct mpipp_order_birth){
      .routine = routine, .c_routine = c_routine, .argument = argument, .number = free_number};
  free_number = 0;
  mpipp_order_object_init(&birth->object);
  mpipp_order_release(&birth->object, place);
  return birth;
}

static void begin(struct mpipp_order_birth *birth) {
  pthread_setspecific(end_key, &end_key);
  mpipp_order_be_born(&birth->object, birth->number);
}

static void *run(void *data) {
  struct mpipp_order_birth *birth = data, now = *birth;
  begin(birth);
  free(birth);
  return now.routine(now.argument);
}

static int run_c(void *data) {
  struct mpipp_order_birth *birth = data, now = *birth;
  begin(birth);
  free(birth);
  return now.c_routine(now.argument);
}

static void give_up(struct mpipp_order_birth *birth) {
  free_number = birth->number;
  free(birth);
}

MPIPP_NEXT(int, pthread_create,
           (pthread_t * thread, const pthread_attr_t *attributes, void *(*routine)(void *),
            void *argument))
MPIPP_OVER int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                              void *(*routine)(void *), void *restrict argument) {
  struct mpipp_order_birth *birth = prepare(routine, NULL, argument, MPIPP_PLACE);
  if (!birth) return pthread_create_next()(thread, attributes, routine, argument);
  int code = pthread_create_next()(thread, attributes, run, birth);
  if (code) give_up(birth);
  return code;
}

MPIPP_OVER int thrd_create(mpipp_order_c_thread *thread, mpipp_order_c_routine *routine,
                           void *argument);
MPIPP_OVER int thrd_join(mpipp_order_c_thread thread, int *result);
MPIPP_NEXT(int, thrd_create,
           (mpipp_order_c_thread * thread, mpipp_order_c_routine *routine, void *argument))
MPIPP_OVER int thrd_create(mpipp_order_c_thread *thread, mpipp_order_c_routine *routine,
                           void *argument) {
  struct mpipp_order_birth *birth = prepare(NULL, routine, argument, MPIPP_PLACE);
  if (!birth) return thrd_create_next()(thread, routine, argument);
  int code = thrd_create_next()(thread, run_c, birth);
  if (code != C_SUCCESS) give_up(birth);
  return code;
}

static void join(uint64_t thread, const void *place) {
  uint32_t number = mpipp_order_join_at(end_of(thread), place);
  if (number) free_number = number;
}

#define JOINS(NAME, OK, PARAMETERS, ARGUMENTS)                                                     \
  MPIPP_NEXT(int, NAME, PARAMETERS)                                                                \
  MPIPP_OVER int NAME PARAMETERS {                                                                 \
    int code = NAME##_next() ARGUMENTS;                                                            \
    if (mpipp_order_watches() && code == OK) join((uint64_t)thread, MPIPP_PLACE);                  \
    return code;                                                                                   \
  }
JOINS(pthread_join, 0, (pthread_t thread, void **result), (thread, result))
JOINS(pthread_tryjoin_np, 0, (pthread_t thread, void **result), (thread, result))
JOINS(pthread_timedjoin_np, 0, (pthread_t thread, void **result, const struct timespec *until),
      (thread, result, until))
JOINS(pthread_clockjoin_np, 0,
      (pthread_t thread, void **result, clockid_t clock, const struct timespec *until),
      (thread, result, clock, until))
JOINS(thrd_join, C_SUCCESS, (mpipp_order_c_thread thread, int *result), (thread, result))
