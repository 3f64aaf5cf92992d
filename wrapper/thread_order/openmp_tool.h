// SPDX-License-Identifier: MIT
// The tool interface of OpenMP 5 (OMPT): the part that mpipp uses. <omp-tools.h> is missing on many
// machines, and its types and numbers never change.
#ifndef MPIPP_THREAD_ORDER_OPENMP_TOOL_H
#define MPIPP_THREAD_ORDER_OPENMP_TOOL_H

#include <stdint.h>

#include "thread_order/sync_objects.h"

enum { OMPT_BEGIN = 1, OMPT_END = 2, OMPT_BEGIN_END = 3 }; // an event's place in its region

enum mpipp_ompt_event {
  OMPT_PARALLEL_BEGIN = 3,
  OMPT_PARALLEL_END = 4,
  OMPT_TASK_CREATE = 5,
  OMPT_TASK_SCHEDULE = 6,
  OMPT_IMPLICIT_TASK = 7,
  OMPT_DEPENDENCES = 18,
  OMPT_SYNC_REGION = 23,
  OMPT_MUTEX_ACQUIRE = 26,
  OMPT_MUTEX_ACQUIRED = 27,
  OMPT_REDUCTION = 31,
};

enum mpipp_ompt_region {
  OMPT_BARRIER_IMPLICIT = 2, // older runtimes also report the end of a region so
  OMPT_TASKWAIT = 5,
  OMPT_TASKGROUP = 6,
  OMPT_REGION_REDUCTION = 7,
  OMPT_END_OF_PARALLEL = 9, // all others are barriers, too
};

enum { OMPT_MUTEX_ATOMIC = 6 };
enum { OMPT_TASK_INITIAL = 1 };

enum mpipp_ompt_status {
  OMPT_TASK_COMPLETED = 1,
  OMPT_TASK_CANCELLED = 3,
  OMPT_TASK_FULFILLED_EARLY = 5, // omp_fulfill_event before the end of the task's code
  OMPT_TASK_FULFILLED_LATE = 6,
  OMPT_TASKWAIT_COMPLETED = 8,
};

enum mpipp_ompt_dependence_type { OMPT_IN = 1, OMPT_SOURCE = 5, OMPT_SINK = 6 };

union mpipp_ompt_data {
  uint64_t value;
  void *pointer;
};

struct mpipp_ompt_dependence {
  union mpipp_ompt_data variable;
  int type;
};

typedef void (*mpipp_ompt_function)(void);
typedef mpipp_ompt_function (*mpipp_ompt_lookup)(const char *name);

struct mpipp_ompt_tool {
  int (*initialize)(mpipp_ompt_lookup lookup, int device, union mpipp_ompt_data *data);
  void (*finalize)(union mpipp_ompt_data *data);
  union mpipp_ompt_data data;
};

// A parallel region. Its threads alternate between two barriers, because one may enter the next
// before others leave. iterations: what `depend(sink)` orders.
struct mpipp_order_region {
  struct mpipp_order_object forked, iterations, barriers[2];
};

// The tasks inside a construct `taskgroup`. ended: their ends.
struct mpipp_order_group {
  struct mpipp_order_group *outer;
  struct mpipp_order_object ended;
};

// A task, explicit or implicit. ready: its creation, or its last suspension. children: the ends of
// the tasks that it has created.
struct mpipp_order_task {
  struct mpipp_order_region *region; // NULL: outside parallel regions
  struct mpipp_order_task *parent, *implicit;
  struct mpipp_order_group *group;
  struct mpipp_ompt_dependence *dependences;
  uint32_t count, references, index, has_started;
  uint32_t passed;                   // number of barriers
  uint64_t released[2], acquired[2]; // the last releases to the barriers, and acquires from them
  struct mpipp_order_object ready, children;
};

// Returns a new task with one reference; NULL: no memory, and the order is lost.
struct mpipp_order_task *mpipp_order_new_task(void);

// The events of explicit tasks.
void mpipp_order_create_task(union mpipp_ompt_data *parent, const void *frame,
                             union mpipp_ompt_data *created, int flags, int depends,
                             const void *place);
void mpipp_order_schedule_task(union mpipp_ompt_data *prior, int status,
                               union mpipp_ompt_data *next);
void mpipp_order_depend(union mpipp_ompt_data *task, const struct mpipp_ompt_dependence *all,
                        int count);
void mpipp_order_begin_group(struct mpipp_order_task *task);
void mpipp_order_end_group(struct mpipp_order_task *task, const void *place);
void mpipp_order_drop_task(struct mpipp_order_task *task);

#endif
