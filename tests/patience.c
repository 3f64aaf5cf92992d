// SPDX-License-Identifier: MIT
// What an MPI process does that waits, where there are more of them than processors: it sleeps.
// MPICH over UCX asks again and again; the process that it waits for gets a processor only when the
// kernel takes one away from those that ask, which is some milliseconds for each message: a
// thousand MPI_Allreduce of four processes on two processors take 11 s, and 0.5 s so. Open MPI
// gives its processor away by itself.
#include <dlfcn.h>
#include <time.h>

enum { PATIENCE = 100 }; // questions that had no answer, one after another

unsigned ucp_worker_progress(void *worker) {
  static unsigned (*ask)(void *);
  static __thread unsigned in_vain;
  // By its file, which is loaded: where Python has loaded MPI for itself, there is no next one.
  if (!ask) ask = (unsigned (*)(void *))dlsym(dlopen(UCP, RTLD_LAZY), "ucp_worker_progress");
  unsigned answered = ask(worker);
  in_vain = answered ? 0 : in_vain + 1;
  if (in_vain > PATIENCE) nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
  return answered;
}
