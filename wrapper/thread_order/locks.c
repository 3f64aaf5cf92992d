// SPDX-License-Identifier: MIT
// Mutexes, condition variables, barriers, locks and semaphores of POSIX and C.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "thread_order/interposed.h"

// Defines the wrapper of a function that has taken a lock if it returns OK.
#define TAKES(NAME, LOCK, OK, ACQUIRE, PARAMETERS, ARGUMENTS)                                      \
  MPIPP_NEXT(int, NAME, PARAMETERS)                                                                \
  MPIPP_OVER int NAME PARAMETERS {                                                                 \
    int code = NAME##_next() ARGUMENTS;                                                            \
    if (mpipp_order_watches() && (code == OK || code == EOWNERDEAD)) ACQUIRE(LOCK, MPIPP_PLACE);   \
    return code;                                                                                   \
  }
// Defines the wrapper of a function before which this thread releases OBJECT, in the sense of
// sync_objects.h.
#define GIVES(NAME, OBJECT, PARAMETERS, ARGUMENTS)                                                 \
  MPIPP_NEXT(int, NAME, PARAMETERS)                                                                \
  MPIPP_OVER int NAME PARAMETERS {                                                                 \
    if (mpipp_order_watches()) mpipp_order_release_at(OBJECT, MPIPP_PLACE);                        \
    return NAME##_next() ARGUMENTS;                                                                \
  }

#define MUTEX(NAME, PARAMETERS, ARGUMENTS)                                                         \
  TAKES(NAME, mutex, 0, mpipp_order_acquire_exclusive, PARAMETERS, ARGUMENTS)
MUTEX(pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex))
MUTEX(pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex))
MUTEX(pthread_mutex_timedlock, (pthread_mutex_t * mutex, const struct timespec *until),
      (mutex, until))
MUTEX(pthread_mutex_clocklock,
      (pthread_mutex_t * mutex, clockid_t clock, const struct timespec *until),
      (mutex, clock, until))
GIVES(pthread_mutex_unlock, mutex, (pthread_mutex_t * mutex), (mutex))

// C's mutexes and conditions. <threads.h> is missing in older C libraries.
MPIPP_OVER int mtx_lock(void *mutex);
MPIPP_OVER int mtx_trylock(void *mutex);
MPIPP_OVER int mtx_timedlock(void *restrict mutex, const struct timespec *restrict until);
MPIPP_OVER int mtx_unlock(void *mutex);
MPIPP_OVER int cnd_signal(void *condition);
MPIPP_OVER int cnd_broadcast(void *condition);
MPIPP_OVER int cnd_wait(void *condition, void *mutex);
MPIPP_OVER int cnd_timedwait(void *restrict condition, void *restrict mutex,
                             const struct timespec *restrict until);

#define C_MUTEX(NAME, PARAMETERS, ARGUMENTS)                                                       \
  TAKES(NAME, mutex, 0, mpipp_order_acquire_exclusive, PARAMETERS, ARGUMENTS)
C_MUTEX(mtx_lock, (void *mutex), (mutex))
C_MUTEX(mtx_trylock, (void *mutex), (mutex))
C_MUTEX(mtx_timedlock, (void *restrict mutex, const struct timespec *restrict until),
        (mutex, until))
GIVES(mtx_unlock, mutex, (void *mutex), (mutex))

#define READS_WRITES(NAME, PARAMETERS, ARGUMENTS)                                                  \
  TAKES(NAME, lock, 0, mpipp_order_acquire_at, PARAMETERS, ARGUMENTS)
READS_WRITES(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
READS_WRITES(pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock))
READS_WRITES(pthread_rwlock_timedrdlock,
             (pthread_rwlock_t *restrict lock, const struct timespec *restrict until),
             (lock, until))
READS_WRITES(pthread_rwlock_clockrdlock,
             (pthread_rwlock_t *restrict lock, clockid_t clock,
              const struct timespec *restrict until),
             (lock, clock, until))
READS_WRITES(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
READS_WRITES(pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (lock))
READS_WRITES(pthread_rwlock_timedwrlock,
             (pthread_rwlock_t *restrict lock, const struct timespec *restrict until),
             (lock, until))
READS_WRITES(pthread_rwlock_clockwrlock,
             (pthread_rwlock_t *restrict lock, clockid_t clock,
              const struct timespec *restrict until),
             (lock, clock, until))
GIVES(pthread_rwlock_unlock, lock, (pthread_rwlock_t * lock), (lock))

// A spin lock is a volatile int.
#define SPIN(NAME)                                                                                 \
  TAKES(NAME, (const void *)lock, 0, mpipp_order_acquire_at, (pthread_spinlock_t * lock), (lock))
SPIN(pthread_spin_lock)
SPIN(pthread_spin_trylock)
GIVES(pthread_spin_unlock, (const void *)lock, (pthread_spinlock_t * lock), (lock))

#define SEMAPHORE(NAME, PARAMETERS, ARGUMENTS)                                                     \
  TAKES(NAME, semaphore, 0, mpipp_order_acquire_at, PARAMETERS, ARGUMENTS)
SEMAPHORE(sem_wait, (sem_t * semaphore), (semaphore))
SEMAPHORE(sem_trywait, (sem_t * semaphore), (semaphore))
SEMAPHORE(sem_timedwait, (sem_t *restrict semaphore, const struct timespec *restrict until),
          (semaphore, until))
SEMAPHORE(sem_clockwait,
          (sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until),
          (semaphore, clock, until))
GIVES(sem_post, semaphore, (sem_t * semaphore), (semaphore))
// A program may poll the value of a semaphore.
TAKES(sem_getvalue, semaphore, 0, mpipp_order_acquire_at,
      (sem_t *restrict semaphore, int *restrict value), (semaphore, value))

GIVES(pthread_cond_signal, condition, (pthread_cond_t * condition), (condition))
GIVES(pthread_cond_broadcast, condition, (pthread_cond_t * condition), (condition))
GIVES(cnd_signal, condition, (void *condition), (condition))
GIVES(cnd_broadcast, condition, (void *condition), (condition))

// A wait releases the mutex, and takes it again. A timed wait also takes it again when it times
// out.
#define WAITS(NAME, PARAMETERS, ARGUMENTS)                                                         \
  MPIPP_NEXT(int, NAME, PARAMETERS)                                                                \
  MPIPP_OVER int NAME PARAMETERS {                                                                 \
    if (mpipp_order_watches()) mpipp_order_release_at(mutex, MPIPP_PLACE);                         \
    int code = NAME##_next() ARGUMENTS;                                                            \
    if (mpipp_order_watches()) {                                                                   \
      mpipp_order_acquire_at(mutex, MPIPP_PLACE);                                                  \
      mpipp_order_acquire_at(condition, MPIPP_PLACE);                                              \
    }                                                                                              \
    return code;                                                                                   \
  }
WAITS(pthread_cond_wait, (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex),
      (condition, mutex))
WAITS(pthread_cond_timedwait,
      (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
       const struct timespec *restrict until),
      (condition, mutex, until))
WAITS(pthread_cond_clockwait,
      (pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
       const struct timespec *restrict until),
      (condition, mutex, clock, until))
WAITS(cnd_wait, (void *condition, void *mutex), (condition, mutex))
WAITS(cnd_timedwait,
      (void *restrict condition, void *restrict mutex, const struct timespec *restrict until),
      (condition, mutex, until))

// All threads at a barrier pass on their order before any leaves it.
MPIPP_NEXT(int, pthread_barrier_wait, (pthread_barrier_t * barrier))
MPIPP_OVER int pthread_barrier_wait(pthread_barrier_t *barrier) {
  if (mpipp_order_watches()) mpipp_order_release_at(barrier, MPIPP_PLACE);
  int code = pthread_barrier_wait_next()(barrier);
  // Another thread may destroy the barrier now, so only its address is used.
  if (mpipp_order_watches()) mpipp_order_acquire_at(barrier, MPIPP_PLACE);
  return code;
}

// The routine of a control is called once, inside the call. Other threads return after it.
static __thread struct mpipp_order_once {
  void (*routine)(void);
  const void *control;
} once __attribute__((tls_model("initial-exec")));

static void run_routine(void) {
  struct mpipp_order_once now = once;
  now.routine();
  if (mpipp_order_watches()) mpipp_order_release_at(now.control, MPIPP_PLACE);
}

MPIPP_NEXT(int, pthread_once, (pthread_once_t * control, void (*routine)(void)))
MPIPP_OVER int mpipp_order_initialize(pthread_once_t *control,
                                      void (*routine)(void)) __asm__("pthread_once");
MPIPP_OVER int mpipp_order_initialize(pthread_once_t *control, void (*routine)(void)) {
  if (!mpipp_order_watches()) return pthread_once_next()(control, routine);
  struct mpipp_order_once outer = once;
  once = (struct mpipp_order_once){routine, control};
  int code = pthread_once_next()(control, run_routine);
  once = outer;
  mpipp_order_acquire_at(control, MPIPP_PLACE);
  return code;
}

MPIPP_NEXT(void, call_once, (void *control, void (*routine)(void)))
MPIPP_OVER void mpipp_order_c_initialize(void *control, void (*routine)(void)) __asm__("call_once");
MPIPP_OVER void mpipp_order_c_initialize(void *control, void (*routine)(void)) {
  if (!mpipp_order_watches()) {
    call_once_next()(control, routine);
    return;
  }
  struct mpipp_order_once outer = once;
  once = (struct mpipp_order_once){routine, control};
  call_once_next()(control, run_routine);
  once = outer;
  mpipp_order_acquire_at(control, MPIPP_PLACE);
}
