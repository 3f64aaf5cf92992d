// SPDX-License-Identifier: MIT
// OpenMP of LLVM and Intel: the runtime reports parallel regions, barriers and tasks to a tool. The
// runtime reports the end of a lock only after another thread may have it. So openmp_llvm.c and
// openmp_gcc.c replace the functions of locks.
#define _GNU_SOURCE
#include "thread_order/openmp_tool.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "rma_log/accesses.h"
#include "thread_order/interposed.h"
#include "thread_order/visible_code.h"

static struct mpipp_order_region *region_of(const union mpipp_ompt_data *data) {
  return data ? data->pointer : NULL;
}

static void begin_region(union mpipp_ompt_data *task, const void *frame,
                         union mpipp_ompt_data *data, unsigned threads, int flags,
                         const void *place) {
  (void)task, (void)frame, (void)threads, (void)flags;
  data->pointer = NULL;
  mpipp_order_begin();
  if (!mpipp_order_watches()) return;
  struct mpipp_order_region *region = malloc(sizeof *region);
  if (!region) {
    mpipp_order_lose();
    return;
  }
  mpipp_order_object_init(&region->forked);
  mpipp_order_object_init(&region->iterations);
  mpipp_order_object_init(&region->barriers[0]);
  mpipp_order_object_init(&region->barriers[1]);
  mpipp_order_release(&region->forked, place);
  data->pointer = region;
}

// All threads have reached the region's last barrier, and never use the region again.
static void end_region(union mpipp_ompt_data *data, union mpipp_ompt_data *task, int flags,
                       const void *place) {
  (void)task, (void)flags;
  struct mpipp_order_region *region = region_of(data);
  if (!region) return;
  if (mpipp_order_watches()) {
    mpipp_order_acquire(&region->barriers[0], place);
    mpipp_order_acquire(&region->barriers[1], place);
  }
  data->pointer = NULL;
  free(region);
}

static void implicit_task(int endpoint, union mpipp_ompt_data *data, union mpipp_ompt_data *task,
                          unsigned threads, unsigned index, int flags) {
  (void)threads, (void)flags;
  if (endpoint == OMPT_END) {
    struct mpipp_order_task *ended = task->pointer;
    task->pointer = NULL;
    if (ended) mpipp_order_drop_task(ended);
    return;
  }
  struct mpipp_order_task *begun = task->pointer = mpipp_order_new_task();
  if (!begun) return;
  begun->region = region_of(data);
  begun->implicit = begun;
  begun->index = index;
  if (begun->region && mpipp_order_watches()) mpipp_order_acquire(&begun->region->forked, NULL);
}

static void reach_barrier(struct mpipp_order_task *task, int kind, const void *place) {
  unsigned i = task->passed & 1;
  struct mpipp_order_object *barrier = &task->region->barriers[i];
  // After a region all threads except the first one rest.
  if (task->index && (kind == OMPT_BARRIER_IMPLICIT || kind == OMPT_END_OF_PARALLEL))
    mpipp_order_repeat_rest(barrier, &task->released[i]);
  else
    mpipp_order_repeat_release(barrier, &task->released[i], place);
}

// is_region_there: whether the region still exists. It may have ended before this thread leaves its
// last barrier.
static void leave_barrier(struct mpipp_order_task *task, int is_region_there, const void *place) {
  unsigned i = task->passed++ & 1;
  if (is_region_there && mpipp_order_watches())
    mpipp_order_repeat_acquire(&task->region->barriers[i], &task->acquired[i], place);
}

static void begin_sync(struct mpipp_order_task *task, int kind, const void *place) {
  if (kind == OMPT_TASKGROUP)
    mpipp_order_begin_group(task);
  else if (kind != OMPT_TASKWAIT && kind != OMPT_REGION_REDUCTION && task->region &&
           mpipp_order_watches())
    reach_barrier(task, kind, place);
}

static void end_sync(struct mpipp_order_task *task, int kind, int is_region_there,
                     const void *place) {
  if (kind == OMPT_TASKGROUP)
    mpipp_order_end_group(task, place);
  else if (kind == OMPT_TASKWAIT && mpipp_order_watches())
    mpipp_order_acquire(&task->children, place);
  else if (kind != OMPT_TASKWAIT && kind != OMPT_REGION_REDUCTION && task->region)
    leave_barrier(task, is_region_there, place);
}

static void sync_region(int kind, int endpoint, union mpipp_ompt_data *data,
                        union mpipp_ompt_data *task, const void *place) {
  struct mpipp_order_task *own = task ? task->pointer : NULL;
  if (!own) return;
  if (endpoint & OMPT_BEGIN) begin_sync(own, kind, place);
  if (endpoint & OMPT_END) end_sync(own, kind, region_of(data) != NULL, place);
}

// A thread that has combined the others' data comes before those that leave the barrier.
static void reduction(int kind, int endpoint, union mpipp_ompt_data *data,
                      union mpipp_ompt_data *task, const void *place) {
  (void)kind, (void)data;
  struct mpipp_order_task *own = task ? task->pointer : NULL;
  if (!own || !own->region || !(endpoint & OMPT_END) || !mpipp_order_watches()) return;
  mpipp_order_release(&own->region->barriers[0], place);
  mpipp_order_release(&own->region->barriers[1], place);
}

// An atomic operation has no code of the program, so its release may precede it.
static void request_mutex(int kind, unsigned hint, unsigned implementation, uint64_t mutex,
                          const void *place) {
  (void)hint, (void)implementation;
  if (kind != OMPT_MUTEX_ATOMIC || !mpipp_order_watches()) return;
  mpipp_order_release_at((const void *)(uintptr_t)mutex, place);
}

static void take_mutex(int kind, uint64_t mutex, const void *place) {
  if (kind != OMPT_MUTEX_ATOMIC || !mpipp_order_watches()) return;
  mpipp_order_acquire_at((const void *)(uintptr_t)mutex, place);
}

static int initialize(mpipp_ompt_lookup lookup, int device, union mpipp_ompt_data *data) {
  (void)device, (void)data;
  typedef int set_callback(int event, mpipp_ompt_function function);
  set_callback *set = (set_callback *)lookup("ompt_set_callback");
  if (!set) {
    mpipp_order_know_openmp(0);
    mpipp_order_lose();
    return 0;
  }
#define SET(EVENT, FUNCTION) set(EVENT, (mpipp_ompt_function)(FUNCTION))
  SET(OMPT_PARALLEL_BEGIN, begin_region);
  SET(OMPT_PARALLEL_END, end_region);
  SET(OMPT_IMPLICIT_TASK, implicit_task);
  SET(OMPT_SYNC_REGION, sync_region);
  SET(OMPT_REDUCTION, reduction);
  SET(OMPT_MUTEX_ACQUIRE, request_mutex);
  SET(OMPT_MUTEX_ACQUIRED, take_mutex);
  SET(OMPT_TASK_CREATE, mpipp_order_create_task);
  SET(OMPT_TASK_SCHEDULE, mpipp_order_schedule_task);
  SET(OMPT_DEPENDENCES, mpipp_order_depend);
#undef SET
  struct mpipp_order_extent runtime = mpipp_order_extent_of((const void *)(uintptr_t)lookup);
  mpipp_order_ignore(runtime.low, runtime.high);
  mpipp_order_know_openmp(1);
  return 1;
}

static void finalize(union mpipp_ompt_data *data) {
  (void)data;
}

// Returns whether the runtime calls this tool. The program's own tool comes first. Locks of a
// runtime that is linked into the program are not seen.
static int may_start(const void *runtime) {
  const char *libraries = getenv("OMP_TOOL_LIBRARIES");
  return mpipp_rma_logs_onesided && !(libraries && *libraries) && mpipp_order_is_openmp(runtime);
}

MPIPP_NEXT(struct mpipp_ompt_tool *, ompt_start_tool, (unsigned version, const char *runtime))
MPIPP_OVER struct mpipp_ompt_tool *ompt_start_tool(unsigned version, const char *runtime);
MPIPP_OVER struct mpipp_ompt_tool *ompt_start_tool(unsigned version, const char *runtime) {
  static struct mpipp_ompt_tool tool = {initialize, finalize, {0}};
  struct mpipp_ompt_tool *(*next)(unsigned, const char *) = ompt_start_tool_next();
  struct mpipp_ompt_tool *other = next ? next(version, runtime) : NULL;
  if (!other && may_start(MPIPP_PLACE)) return &tool;
  mpipp_order_know_openmp(0);
  mpipp_order_lose();
  return other;
}
