// SPDX-License-Identifier: MIT
// The explicit tasks of OpenMP, as the runtime of LLVM and Intel reports them.
#define _GNU_SOURCE
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "thread_order/interposed.h"
#include "thread_order/openmp_tool.h"

struct mpipp_order_task *mpipp_order_new_task(void) {
  struct mpipp_order_task *task = malloc(sizeof *task);
  if (!task) {
    mpipp_order_lose();
    return NULL;
  }
  memset(task, 0, offsetof(struct mpipp_order_task, ready));
  task->references = 1;
  mpipp_order_object_init(&task->ready);
  mpipp_order_object_init(&task->children);
  return task;
}

void mpipp_order_drop_task(struct mpipp_order_task *task) {
  while (task && __atomic_sub_fetch(&task->references, 1, __ATOMIC_ACQ_REL) == 0) {
    struct mpipp_order_task *parent = task->parent;
    free(task->dependences);
    free(task);
    task = parent;
  }
}

void mpipp_order_create_task(union mpipp_ompt_data *parent, const void *frame,
                             union mpipp_ompt_data *created, int flags, int depends,
                             const void *place) {
  (void)frame, (void)depends;
  created->pointer = NULL;
  struct mpipp_order_task *creator = parent ? parent->pointer : NULL;
  if (!creator || (flags & OMPT_TASK_INITIAL)) return;
  struct mpipp_order_task *task = created->pointer = mpipp_order_new_task();
  if (!task) return;
  task->parent = creator;
  __atomic_add_fetch(&creator->references, 1, __ATOMIC_RELAXED);
  task->region = creator->region;
  task->implicit = creator->implicit;
  task->group = creator->group;
  if (mpipp_order_watches()) mpipp_order_release(&task->ready, place);
}

// The objects of a variable: the tasks that only read it order no others that only read it.
static const void *object_of(const struct mpipp_ompt_dependence *one, int reads) {
  return (const char *)one->variable.pointer + (reads ? 1 : 0);
}

static void acquire_dependences(const struct mpipp_order_task *task) {
  for (uint32_t i = 0; i < task->count; i++) {
    const struct mpipp_ompt_dependence *one = &task->dependences[i];
    mpipp_order_acquire_at(object_of(one, 0), NULL);
    if (one->type != OMPT_IN) mpipp_order_acquire_at(object_of(one, 1), NULL);
  }
}

static void release_dependences(const struct mpipp_order_task *task) {
  for (uint32_t i = 0; i < task->count; i++) {
    const struct mpipp_ompt_dependence *one = &task->dependences[i];
    mpipp_order_release_at(object_of(one, one->type == OMPT_IN), NULL);
  }
}

static void complete(struct mpipp_order_task *task) {
  if (!mpipp_order_watches()) return;
  // omp_fulfill_event comes before the completion.
  mpipp_order_acquire(&task->ready, NULL);
  release_dependences(task);
  mpipp_order_release(&task->parent->children, NULL);
  if (task->group) mpipp_order_release(&task->group->ended, NULL);
  if (!task->region) return;
  // No thread passes the next barrier of the thread that has created the task.
  unsigned passed = __atomic_load_n(&task->implicit->passed, __ATOMIC_RELAXED);
  mpipp_order_release(&task->region->barriers[passed & 1], NULL);
}

static void begin_or_continue(struct mpipp_order_task *task) {
  if (!mpipp_order_watches()) return;
  mpipp_order_acquire(&task->ready, NULL);
  if (!task->has_started) acquire_dependences(task);
  task->has_started = 1;
}

static struct mpipp_order_task *explicit_task(const union mpipp_ompt_data *data) {
  struct mpipp_order_task *task = data ? data->pointer : NULL;
  return task && task->parent ? task : NULL;
}

void mpipp_order_schedule_task(union mpipp_ompt_data *prior, int status,
                               union mpipp_ompt_data *next) {
  struct mpipp_order_task *from = explicit_task(prior), *to = explicit_task(next);
  int is_late = status == OMPT_TASK_FULFILLED_LATE;
  if (from && status == OMPT_TASKWAIT_COMPLETED) begin_or_continue(from);
  if (from && (status == OMPT_TASK_COMPLETED || status == OMPT_TASK_CANCELLED || is_late ||
               status == OMPT_TASKWAIT_COMPLETED)) {
    complete(from);
    prior->pointer = NULL;
    mpipp_order_drop_task(from);
  } else if (from && mpipp_order_watches()) {
    mpipp_order_release(&from->ready, NULL); // another thread may continue or complete it
  }
  if (to && !is_late && status != OMPT_TASK_FULFILLED_EARLY) begin_or_continue(to);
}

// The dependences of iterations of a loop: all that one passes on, the others receive.
static void order_iterations(struct mpipp_order_task *task, int type) {
  if (!task->region) return;
  if (type == OMPT_SOURCE)
    mpipp_order_release(&task->region->iterations, NULL);
  else
    mpipp_order_acquire(&task->region->iterations, NULL);
}

void mpipp_order_depend(union mpipp_ompt_data *data, const struct mpipp_ompt_dependence *all,
                        int count) {
  struct mpipp_order_task *task = data ? data->pointer : NULL;
  if (!task || count <= 0 || !mpipp_order_watches()) return;
  if (all->type == OMPT_SOURCE || all->type == OMPT_SINK) {
    order_iterations(task, all->type);
    return;
  }
  size_t size = (size_t)count * sizeof *all;
  free(task->dependences);
  task->dependences = malloc(size);
  if (!task->dependences) {
    mpipp_order_lose();
    return;
  }
  memcpy(task->dependences, all, size);
  task->count = (uint32_t)count;
}

void mpipp_order_begin_group(struct mpipp_order_task *task) {
  struct mpipp_order_group *group = malloc(sizeof *group);
  if (!group) {
    mpipp_order_lose();
    return;
  }
  group->outer = task->group;
  mpipp_order_object_init(&group->ended);
  task->group = group;
}

void mpipp_order_end_group(struct mpipp_order_task *task, const void *place) {
  struct mpipp_order_group *group = task->group;
  if (!group) return;
  if (mpipp_order_watches()) mpipp_order_acquire(&group->ended, place);
  task->group = group->outer;
  free(group);
}
