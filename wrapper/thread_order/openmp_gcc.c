// SPDX-License-Identifier: MIT
// OpenMP of GCC: the functions of libgomp that order threads.
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rma_log/log.h"
#include "thread_order/interposed.h"
#include "thread_order/module_functions.h"
#include "thread_order/openmp_sections.h"

enum { ALIGNMENT = 16, TASK_DETACHES = 1 << 13 };

// A parallel region. ended: the object that ended threads release. tasks: the one that ended tasks
// release. The threads alternate between two barriers, because a thread may enter the next one
// before others leave.
struct mpipp_order_team {
  void (*function)(void *);
  void *data;
  uint32_t master; // the number of the thread that began the region
  uint32_t asked;  // by threads for their first section of a construct
  struct mpipp_order_object forked, ended, tasks, ordered, barriers[2];
};

static __thread struct mpipp_order_team *team __attribute__((tls_model("initial-exec")));
static __thread unsigned passed __attribute__((tls_model("initial-exec"))); // barriers so far
// The versions at the thread's last releases and acquires of its region's barriers.
static __thread struct mpipp_order_barriers {
  uint64_t released[2], acquired[2], tasks;
} known __attribute__((tls_model("initial-exec")));

static void run_member(void *data) {
  struct mpipp_order_team *outer = team, *own = data;
  unsigned outer_passed = passed;
  team = own;
  passed = 0;
  known = (struct mpipp_order_barriers){0};
  mpipp_order_acquire(&own->forked, MPIPP_PLACE);
  struct mpipp_order_sections outer_sections = mpipp_order_begin_sections(&own->asked);
  own->function(own->data);
  mpipp_order_end_sections(outer_sections);
  // Other threads than the master do nothing until the next region.
  if (mpipp_rma_log_thread.number == own->master)
    mpipp_order_release(&own->ended, MPIPP_PLACE);
  else
    mpipp_order_rest(&own->ended);
  team = outer;
  passed = outer_passed;
  known = (struct mpipp_order_barriers){0};
}

static void begin_team(struct mpipp_order_team *own, void (*function)(void *), void *data,
                       const void *place) {
  own->function = function;
  own->data = data;
  own->asked = 0;
  mpipp_order_object_init(&own->forked);
  mpipp_order_object_init(&own->ended);
  mpipp_order_object_init(&own->tasks);
  mpipp_order_object_init(&own->ordered);
  mpipp_order_object_init(&own->barriers[0]);
  mpipp_order_object_init(&own->barriers[1]);
  mpipp_order_release(&own->forked, place);
  own->master = mpipp_rma_log_thread.number;
}

// A function that runs a parallel region. MORE: the parameters after the first two.
#define REGION(NAME, MORE, ARGUMENTS)                                                              \
  MPIPP_NEXT_FOR(void, NAME, (void (*function)(void *), void *data, MORE))                         \
  MPIPP_OVER void NAME(void (*function)(void *), void *data, MORE);                                \
  MPIPP_OVER void NAME(void (*function)(void *), void *data, MORE) {                               \
    mpipp_order_begin();                                                                           \
    if (!mpipp_order_watches()) {                                                                  \
      NAME##_next(MPIPP_PLACE)(function, data, ARGUMENTS);                                         \
      return;                                                                                      \
    }                                                                                              \
    struct mpipp_order_team own;                                                                   \
    begin_team(&own, function, data, MPIPP_PLACE);                                                 \
    NAME##_next(MPIPP_PLACE)(run_member, &own, ARGUMENTS);                                         \
    mpipp_order_acquire(&own.ended, MPIPP_PLACE);                                                  \
    mpipp_order_acquire(&own.tasks, MPIPP_PLACE);                                                  \
  }
#define LIST(...) __VA_ARGS__
// The region of a loop: the threads, the loop's bounds and step, and one or two more arguments.
#define LOOP(NAME)                                                                                 \
  REGION(NAME,                                                                                     \
         LIST(unsigned threads, long first, long end, long step, long chunk, unsigned flags),      \
         LIST(threads, first, end, step, chunk, flags))
#define LOOP_OF_RUNTIME(NAME)                                                                      \
  REGION(NAME, LIST(unsigned threads, long first, long end, long step, unsigned flags),            \
         LIST(threads, first, end, step, flags))

REGION(GOMP_parallel, LIST(unsigned threads, unsigned flags), LIST(threads, flags))
REGION(GOMP_parallel_sections, LIST(unsigned threads, unsigned count, unsigned flags),
       LIST(threads, count, flags))
LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)
LOOP_OF_RUNTIME(GOMP_parallel_loop_runtime)
LOOP_OF_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP_OF_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

MPIPP_NEXT_FOR(unsigned, GOMP_parallel_reductions,
               (void (*function)(void *), void *data, unsigned threads, unsigned flags))
MPIPP_OVER unsigned GOMP_parallel_reductions(void (*function)(void *), void *data, unsigned threads,
                                             unsigned flags);
MPIPP_OVER unsigned GOMP_parallel_reductions(void (*function)(void *), void *data, unsigned threads,
                                             unsigned flags) {
  // libgomp stores into the data, which the region's threads also use.
  mpipp_order_begin();
  if (mpipp_order_watches()) mpipp_order_lose();
  return GOMP_parallel_reductions_next(MPIPP_PLACE)(function, data, threads, flags);
}

static void reach_barrier(const void *place) {
  unsigned i = passed & 1;
  if (team && mpipp_order_watches())
    mpipp_order_repeat_release(&team->barriers[i], &known.released[i], place);
}

static void leave_barrier(const void *place) {
  if (!team) return;
  if (mpipp_order_watches()) {
    unsigned i = passed & 1;
    mpipp_order_repeat_acquire(&team->barriers[i], &known.acquired[i], place);
    mpipp_order_repeat_acquire(&team->tasks, &known.tasks, place);
  }
  passed++;
}

// A function at whose end all threads of the region wait for each other.
#define BARRIER(NAME)                                                                              \
  MPIPP_NEXT_FOR(void, NAME, (void))                                                               \
  MPIPP_OVER void NAME(void);                                                                      \
  MPIPP_OVER void NAME(void) {                                                                     \
    reach_barrier(MPIPP_PLACE);                                                                    \
    NAME##_next(MPIPP_PLACE)();                                                                    \
    leave_barrier(MPIPP_PLACE);                                                                    \
  }
// A function like these in a region that may be cancelled: then threads leave it without the
// others.
#define CANCELLED_BARRIER(NAME)                                                                    \
  MPIPP_NEXT_FOR(_Bool, NAME, (void))                                                              \
  MPIPP_OVER _Bool NAME(void);                                                                     \
  MPIPP_OVER _Bool NAME(void) {                                                                    \
    reach_barrier(MPIPP_PLACE);                                                                    \
    _Bool is_cancelled = NAME##_next(MPIPP_PLACE)();                                               \
    leave_barrier(MPIPP_PLACE);                                                                    \
    return is_cancelled;                                                                           \
  }
BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)
CANCELLED_BARRIER(GOMP_barrier_cancel)
CANCELLED_BARRIER(GOMP_loop_end_cancel)
CANCELLED_BARRIER(GOMP_sections_end_cancel)

MPIPP_NEXT_FOR(void, GOMP_workshare_task_reduction_unregister, (_Bool cancelled))
MPIPP_OVER void GOMP_workshare_task_reduction_unregister(_Bool cancelled);
MPIPP_OVER void GOMP_workshare_task_reduction_unregister(_Bool cancelled) {
  if (!cancelled) reach_barrier(MPIPP_PLACE);
  GOMP_workshare_task_reduction_unregister_next(MPIPP_PLACE)(cancelled);
  if (!cancelled) leave_barrier(MPIPP_PLACE);
}

// copyprivate: one thread passes its data to the others.
MPIPP_NEXT_FOR(void *, GOMP_single_copy_start, (void))
MPIPP_OVER void *GOMP_single_copy_start(void);
MPIPP_OVER void *GOMP_single_copy_start(void) {
  void *data = GOMP_single_copy_start_next(MPIPP_PLACE)();
  if (data && team && mpipp_order_watches()) mpipp_order_acquire(&team->tasks, MPIPP_PLACE);
  return data;
}

MPIPP_NEXT_FOR(void, GOMP_single_copy_end, (void *data))
MPIPP_OVER void GOMP_single_copy_end(void *data);
MPIPP_OVER void GOMP_single_copy_end(void *data) {
  if (team && mpipp_order_watches()) mpipp_order_release(&team->tasks, MPIPP_PLACE);
  GOMP_single_copy_end_next(MPIPP_PLACE)(data);
}

// A pair of functions around code that one thread executes at a time.
#define TAKES(NAME, PARAMETERS, ARGUMENTS, ACQUIRE)                                                \
  MPIPP_NEXT_FOR(void, NAME, PARAMETERS)                                                           \
  MPIPP_OVER void NAME PARAMETERS;                                                                 \
  MPIPP_OVER void NAME PARAMETERS {                                                                \
    NAME##_next(MPIPP_PLACE) ARGUMENTS;                                                            \
    if (mpipp_order_watches()) ACQUIRE;                                                            \
  }
#define GIVES(NAME, PARAMETERS, ARGUMENTS, RELEASE)                                                \
  MPIPP_NEXT_FOR(void, NAME, PARAMETERS)                                                           \
  MPIPP_OVER void NAME PARAMETERS;                                                                 \
  MPIPP_OVER void NAME PARAMETERS {                                                                \
    if (mpipp_order_watches()) RELEASE;                                                            \
    NAME##_next(MPIPP_PLACE) ARGUMENTS;                                                            \
  }
static const char critical, atomic; // stand for the locks of libgomp
TAKES(GOMP_critical_start, (void), (), mpipp_order_acquire_exclusive(&critical, MPIPP_PLACE))
GIVES(GOMP_critical_end, (void), (), mpipp_order_release_at(&critical, MPIPP_PLACE))
TAKES(GOMP_critical_name_start, (void **name), (name),
      mpipp_order_acquire_exclusive(name, MPIPP_PLACE))
GIVES(GOMP_critical_name_end, (void **name), (name), mpipp_order_release_at(name, MPIPP_PLACE))
TAKES(GOMP_atomic_start, (void), (), mpipp_order_acquire_exclusive(&atomic, MPIPP_PLACE))
GIVES(GOMP_atomic_end, (void), (), mpipp_order_release_at(&atomic, MPIPP_PLACE))
#define IN_TEAM(CALL, OBJECT)                                                                      \
  if (team) CALL(&team->OBJECT, MPIPP_PLACE)
TAKES(GOMP_ordered_start, (void), (), IN_TEAM(mpipp_order_acquire, ordered))
GIVES(GOMP_ordered_end, (void), (), IN_TEAM(mpipp_order_release, ordered))

// Functions that return when tasks have ended.
TAKES(GOMP_taskwait, (void), (), IN_TEAM(mpipp_order_acquire, tasks))
TAKES(GOMP_taskwait_depend, (void **depend), (depend), IN_TEAM(mpipp_order_acquire, tasks))
TAKES(GOMP_taskgroup_end, (void), (), IN_TEAM(mpipp_order_acquire, tasks))

// The order of dependent iterations of a loop is not observed, so all order is lost.
GIVES(GOMP_doacross_post, (long *counts), (counts), mpipp_order_lose())
GIVES(GOMP_doacross_ull_post, (unsigned long long *counts), (counts), mpipp_order_lose())

// Locks; Fortran calls the functions with an underscore.
#define LOCK(NAME)                                                                                 \
  TAKES(omp_set_##NAME, (void *lock), (lock), mpipp_order_acquire_at(lock, MPIPP_PLACE))           \
  GIVES(omp_unset_##NAME, (void *lock), (lock), mpipp_order_release_at(lock, MPIPP_PLACE))         \
  MPIPP_NEXT_FOR(int, omp_test_##NAME, (void *lock))                                               \
  MPIPP_OVER int omp_test_##NAME(void *lock);                                                      \
  MPIPP_OVER int omp_test_##NAME(void *lock) {                                                     \
    int taken = omp_test_##NAME##_next(MPIPP_PLACE)(lock);                                         \
    if (taken && mpipp_order_watches()) mpipp_order_acquire_at(lock, MPIPP_PLACE);                 \
    return taken;                                                                                  \
  }
LOCK(lock)
LOCK(nest_lock)
LOCK(lock_)
LOCK(nest_lock_)

// A task. libgomp copies its data to a block of its own with `copy`. libgomp stores the bounds of a
// taskloop's part into the first two words of the block, and reads the third.
struct mpipp_order_task {
  uint64_t words[3];
  void (*function)(void *);
  void (*copy)(void *, void *);
  void *data;
  uint64_t size, is_loop;
  struct mpipp_order_team *team;
} __attribute__((aligned(ALIGNMENT)));

static void *data_of(struct mpipp_order_task *task) {
  return task + 1;
}

static void copy_task(void *to, void *from) {
  struct mpipp_order_task *task = to;
  memcpy(task, from, sizeof *task);
  if (task->copy)
    task->copy(data_of(task), task->data);
  else
    memcpy(data_of(task), task->data, task->size);
}

static void run_task(void *block) {
  struct mpipp_order_task *task = block;
  struct mpipp_order_team *outer = team;
  team = task->team;
  if (task->is_loop) memcpy(data_of(task), task->words, 2 * sizeof(uint64_t));
  // Acquire what the creator has released, and ended tasks on which this one may depend.
  mpipp_order_acquire(&team->forked, MPIPP_PLACE);
  mpipp_order_acquire(&team->tasks, MPIPP_PLACE);
  task->function(data_of(task));
  mpipp_order_release(&team->tasks, MPIPP_PLACE);
  team = outer;
}

// Prepares a task. Returns 0 without a region: then the thread executes the task at once.
static int prepare_task(struct mpipp_order_task *task, void (*function)(void *), void *data,
                        void (*copy)(void *, void *), long size, const void *place) {
  if (!team || !mpipp_order_watches()) return 0;
  *task = (struct mpipp_order_task){
      .function = function, .copy = copy, .data = data, .size = (uint64_t)size, .team = team};
  memcpy(task->words, data,
         (uint64_t)size < sizeof task->words ? (uint64_t)size : sizeof task->words);
  mpipp_order_release(&team->forked, place);
  return 1;
}

static long larger(long one, long other) {
  return one > other ? one : other;
}

#define TASK_TYPES                                                                                 \
  (void (*function)(void *), void *data, void (*copy)(void *, void *), long size, long alignment,  \
   _Bool is_deferred, unsigned flags, void **depend, int priority, void *detach)
MPIPP_NEXT_FOR(void, GOMP_task, TASK_TYPES)
MPIPP_OVER void GOMP_task TASK_TYPES;
MPIPP_OVER void GOMP_task TASK_TYPES {
  struct mpipp_order_task task;
  int is_plain = !(flags & TASK_DETACHES) && alignment <= ALIGNMENT;
  if (!is_plain && team && mpipp_order_watches()) mpipp_order_lose();
  if (is_plain && prepare_task(&task, function, data, copy, size, MPIPP_PLACE))
    GOMP_task_next(MPIPP_PLACE)(run_task, &task, copy_task, (long)sizeof task + size,
                                larger(alignment, ALIGNMENT), is_deferred, flags, depend, priority,
                                detach);
  else
    GOMP_task_next(MPIPP_PLACE)(function, data, copy, size, alignment, is_deferred, flags, depend,
                                priority, detach);
}

#define TASKLOOP(NAME, TYPE)                                                                       \
  MPIPP_NEXT_FOR(void, NAME,                                                                       \
                 (void (*function)(void *), void *data, void (*copy)(void *, void *), long size,   \
                  long alignment, unsigned flags, unsigned long tasks, int priority, TYPE first,   \
                  TYPE end, TYPE step))                                                            \
  MPIPP_OVER void NAME(void (*function)(void *), void *data, void (*copy)(void *, void *),         \
                       long size, long alignment, unsigned flags, unsigned long tasks,             \
                       int priority, TYPE first, TYPE end, TYPE step);                             \
  MPIPP_OVER void NAME(void (*function)(void *), void *data, void (*copy)(void *, void *),         \
                       long size, long alignment, unsigned flags, unsigned long tasks,             \
                       int priority, TYPE first, TYPE end, TYPE step) {                            \
    struct mpipp_order_task task;                                                                  \
    if (alignment > ALIGNMENT && team && mpipp_order_watches()) mpipp_order_lose();                \
    if (alignment <= ALIGNMENT && prepare_task(&task, function, data, copy, size, MPIPP_PLACE)) {  \
      task.is_loop = 1;                                                                            \
      NAME##_next(MPIPP_PLACE)(run_task, &task, copy_task, (long)sizeof task + size,               \
                               larger(alignment, ALIGNMENT), flags, tasks, priority, first, end,   \
                               step);                                                              \
      mpipp_order_acquire(&team->tasks, MPIPP_PLACE);                                              \
    } else {                                                                                       \
      NAME##_next(MPIPP_PLACE)(function, data, copy, size, alignment, flags, tasks, priority,      \
                               first, end, step);                                                  \
    }                                                                                              \
  }
TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)
