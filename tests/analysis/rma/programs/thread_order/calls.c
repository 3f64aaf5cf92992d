// SPDX-License-Identifier: MIT
// Pairs of threads with one synchronization each. In functions X_ordered it orders the operation of
// the first thread before the store of the second. In X_racing it does not.
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <threads.h>
#include <unistd.h>

enum { CASES = 32 };
static MPI_Win window;
static int *base;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, others = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static sem_t semaphore;
static mtx_t c_mutex;
static cnd_t c_condition;
static int ready;
static atomic_int released;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static int counter;
static pthread_once_t once;
static atomic_int finished;
static int ends[2]; // of a pipe

// Waits with a lock until `ready` is set.
#define AWAIT(LOCK, UNLOCK)                                                                        \
  for (int seen = 0; !seen; sched_yield()) {                                                       \
    LOCK;                                                                                          \
    seen = ready;                                                                                  \
    UNLOCK;                                                                                        \
  }
#define SET(LOCK, UNLOCK) LOCK, ready = 1, UNLOCK

static void await_condition(void) {
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
}

static void set_condition(void) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
}

static void await_c_condition(void) {
  mtx_lock(&c_mutex);
  while (!ready) cnd_wait(&c_condition, &c_mutex);
  mtx_unlock(&c_mutex);
}

static void set_c_condition(void) {
  mtx_lock(&c_mutex);
  ready = 1;
  cnd_broadcast(&c_condition);
  mtx_unlock(&c_mutex);
}

static void await_builtin(void) {
  while (!__sync_fetch_and_add(&counter, 0)) sched_yield();
}

static void flag_lock(void) {
  while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire)) sched_yield();
}

static void do_nothing(void) {}

static void receive(void) {
  char byte;
  if (read(ends[0], &byte, 1) != 1) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void give(void) {
  if (write(ends[1], "", 1) != 1) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void get(int at) {
  MPI_Get(base + at, 1, MPI_INT, 1, at, 1, MPI_INT, window);
  MPI_Win_flush(1, window);
}

// The second thread's access. Without `mpipp cc` mpipp sees only operations. Then the threads of
// all cases wait for each other in a way that it does not see.
#ifdef GETS
#define ACCESS(AT)                                                                                 \
  while (!atomic_load_explicit(&finished, memory_order_acquire)) sched_yield();                    \
  get(AT)
#define FINISH atomic_store_explicit(&finished, 1, memory_order_release)
#else
#define ACCESS(AT) base[AT] = 1
#define FINISH ((void)0)
#endif

#define TAKE_NOTHING ((void)0)
#define THREAD(NAME, TAKE, AT)                                                                     \
  static void *NAME(void *unused) {                                                                \
    TAKE;                                                                                          \
    ACCESS(AT);                                                                                    \
    return unused;                                                                                 \
  }
#define CASE(NAME, AT, TAKE, OTHER_TAKE)                                                           \
  THREAD(NAME##_ordered, TAKE, AT)                                                                 \
  THREAD(NAME##_racing, OTHER_TAKE, AT + 1)

CASE(mutex, 0, AWAIT(pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex)),
     (pthread_mutex_lock(&others), pthread_mutex_unlock(&others)))
CASE(condition, 2, await_condition(), TAKE_NOTHING)
CASE(rwlock, 4, AWAIT(pthread_rwlock_rdlock(&lock), pthread_rwlock_unlock(&lock)), TAKE_NOTHING)
CASE(barrier, 6, pthread_barrier_wait(&barrier), TAKE_NOTHING)
CASE(spin, 8, AWAIT(pthread_spin_lock(&spin), pthread_spin_unlock(&spin)), TAKE_NOTHING)
CASE(semaphore, 10, sem_wait(&semaphore), TAKE_NOTHING)
CASE(c_mutex, 12, AWAIT(mtx_lock(&c_mutex), mtx_unlock(&c_mutex)), TAKE_NOTHING)
CASE(c_condition, 14, await_c_condition(), TAKE_NOTHING)
CASE(atomic, 16, while (!atomic_load_explicit(&released, memory_order_acquire)) sched_yield(),
     TAKE_NOTHING)
CASE(flag, 18, AWAIT(flag_lock(), atomic_flag_clear_explicit(&flag, memory_order_release)),
     TAKE_NOTHING)
CASE(builtin, 20, await_builtin(), TAKE_NOTHING)
CASE(create, 22, TAKE_NOTHING, TAKE_NOTHING)
CASE(once, 24, pthread_once(&once, do_nothing), TAKE_NOTHING)

CASE(pipe, 28, receive(), TAKE_NOTHING)

static int c_thread(void *at) {
  ACCESS(*(int *)at);
  return 0;
}

static void reset(void) {
  ready = counter = 0;
  finished = 0;
  released = 0;
  once = (pthread_once_t)PTHREAD_ONCE_INIT;
}

static void join(pthread_t thread) {
  pthread_join(thread, NULL);
  reset();
}

#define RUN(NAME, AT, GIVE)                                                                        \
  do {                                                                                             \
    pthread_t thread;                                                                              \
    pthread_create(&thread, NULL, NAME##_ordered, NULL);                                           \
    get(AT);                                                                                       \
    GIVE;                                                                                          \
    FINISH;                                                                                        \
    join(thread);                                                                                  \
    pthread_create(&thread, NULL, NAME##_racing, NULL);                                            \
    get(AT + 1);                                                                                   \
    FINISH;                                                                                        \
    join(thread);                                                                                  \
  } while (0)

static void run_create(void) {
  pthread_t thread;
  get(22);
  FINISH;
  pthread_create(&thread, NULL, create_ordered, NULL);
  join(thread);
  pthread_create(&thread, NULL, create_racing, NULL);
  get(23);
  FINISH;
  join(thread);
}

static void run_once(void) {
  pthread_t thread;
  // The control's routine has run in the first thread after its operation.
  get(24);
  FINISH;
  pthread_once(&once, do_nothing);
  pthread_create(&thread, NULL, once_ordered, NULL);
  join(thread);
  pthread_create(&thread, NULL, once_racing, NULL);
  get(25);
  FINISH;
  join(thread);
}

static void run_c_threads(void) {
  thrd_t thread;
  int first = 26, second = 27;
  get(first);
  FINISH;
  thrd_create(&thread, c_thread, &first);
  thrd_join(thread, NULL);
  reset();
  thrd_create(&thread, c_thread, &second);
  get(second);
  FINISH;
  thrd_join(thread, NULL);
}

int main(int argc, char **argv) {
  int rank, provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  sem_init(&semaphore, 0, 0);
  mtx_init(&c_mutex, mtx_plain);
  cnd_init(&c_condition);
  if (pipe(ends)) return 1;
  MPI_Win_allocate(CASES * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  MPI_Win_lock_all(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    RUN(mutex, 0, SET(pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex)));
    RUN(condition, 2, set_condition());
    RUN(rwlock, 4, SET(pthread_rwlock_wrlock(&lock), pthread_rwlock_unlock(&lock)));
    RUN(barrier, 6, pthread_barrier_wait(&barrier));
    RUN(spin, 8, SET(pthread_spin_lock(&spin), pthread_spin_unlock(&spin)));
    RUN(semaphore, 10, sem_post(&semaphore));
    RUN(c_mutex, 12, SET(mtx_lock(&c_mutex), mtx_unlock(&c_mutex)));
    RUN(c_condition, 14, set_c_condition());
    RUN(atomic, 16, atomic_store_explicit(&released, 1, memory_order_release));
    RUN(flag, 18, SET(flag_lock(), atomic_flag_clear_explicit(&flag, memory_order_release)));
    RUN(builtin, 20, __sync_fetch_and_add(&counter, 1));
    RUN(pipe, 28, give());
    run_create();
    run_once();
    run_c_threads();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
