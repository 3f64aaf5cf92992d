// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "buffer_guard/platform/other_threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "buffer_guard/platform/proc_dir.h"
#include "generated/procedures.h"

enum { THREADS = 64 };

struct mpipp_tasks {
  long all[THREADS];
  int count; // number of threads; -1: too many, or unknown
};

static struct mpipp_tasks mpis = {.count = 0};
static int was_alone;

static int add(int directory, const char *name, void *with) {
  struct mpipp_tasks *tasks = with;
  (void)directory;
  if (tasks->count == THREADS) return 1;
  tasks->all[tasks->count++] = strtol(name, NULL, 10);
  return 0;
}

static void list_tasks(struct mpipp_tasks *tasks) {
  tasks->count = 0;
  if (mpipp_guard_list("/proc/self/task", add, tasks)) tasks->count = -1;
}

// pthread_join may return long before the system removes the thread from its list. Such a thread no
// longer uses the process's memory.
static int has_ended(long thread) {
  char path[64], text[512] = "";
  unsigned long bytes = 0;
  snprintf(path, sizeof path, "/proc/self/task/%ld/stat", thread);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno == ENOENT;
  ssize_t got = read(file, text, sizeof text - 1);
  int is_gone = got < 0 && errno == ESRCH;
  close(file);
  const char *name_end = strrchr(text, ')'); // the thread's name may contain any character, also
                                             // ')'
  // The format of /proc/self/task/TID/stat after the name: the state, 19 numbers, and the size of
  // the address space.
  static const char words[] = ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                              "%*s %*s %*s %lu";
  if (!name_end || sscanf(name_end, words, &bytes) != 1) return is_gone;
  return bytes == 0;
}

static int is_mpi_thread(long thread) {
  for (int i = 0; i < mpis.count; i++)
    if (mpis.all[i] == thread) return 1;
  return 0;
}

int mpipp_guard_is_init(const struct mpipp_call *call) {
  return call->procedure == MPIPP_PROC_Init || call->procedure == MPIPP_PROC_Init_thread;
}

void mpipp_guard_threads_before_init(const struct mpipp_call *call) {
  if (mpipp_guard_is_init(call)) was_alone = mpipp_guard_has_one_thread();
}

void mpipp_guard_threads_after_init(const struct mpipp_call *call) {
  if (mpipp_guard_is_init(call) && was_alone) list_tasks(&mpis);
}

int mpipp_guard_has_one_thread(void) {
  struct mpipp_tasks tasks;
  long self = syscall(SYS_gettid), first = getpid();
  list_tasks(&tasks);
  for (int i = 0; i < tasks.count; i++) {
    long one = tasks.all[i];
    if (one != self && (one == first || !is_mpi_thread(one)) && !has_ended(one)) return 0;
  }
  return tasks.count > 0;
}
