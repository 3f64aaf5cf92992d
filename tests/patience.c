// SPDX-License-Identifier: MIT
// An MPI process that waits sleeps, when there are more processes than processors. MPICH over UCX
// polls again and again. The process that it waits for gets a processor only when the kernel takes
// it from the pollers, which is some milliseconds for each message. A thousand MPI_Allreduce of
// four processes on two processors take 11 s, and 0.5 s with this. Open MPI yields its processor
// itself.
#include <dlfcn.h>
#include <time.h>

enum { PATIENCE = 100 }; // calls without progress, one after another

unsigned ucp_worker_progress(void *worker) {
  static unsigned (*ask)(void *);
  static __thread unsigned in_vain;
  // Opens UCX by its file name: RTLD_NEXT does not find it if Python has loaded MPI privately.
  if (!ask) ask = (unsigned (*)(void *))dlsym(dlopen(UCP, RTLD_LAZY), "ucp_worker_progress");
  unsigned answered = ask(worker);
  in_vain = answered ? 0 : in_vain + 1;
  if (in_vain > PATIENCE) nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
  return answered;
}
