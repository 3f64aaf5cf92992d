// SPDX-License-Identifier: MIT
// Preloaded beside the wrapper, as a hook. Stops a program for gdb (gdb_silence.py) at random
// beginnings and ends of its calls, with every call on its record.
//
//   STOPS_PIPE   each process writes its process id there, in a line. It waits in its first call
//                until gdb has set stops_attached; not longer than four minutes
//   STOPS_EVERY  one of so many beginnings and ends is a stop, on average
//   STOPS_SEED   the random choices depend on it, on the rank and on the thread
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "generated/procedures.h"
#include "intercept/hooks.h"

// gdb sets this variable.
volatile int stops_attached;
// Set by a program that plants an error (programs/planted.h): its next call is held, before MPI.
volatile int stops_hold;

static uint64_t number(const char *name) {
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 10) : 0;
}

// gdb has a breakpoint here.
__attribute__((noinline)) void random_stop(void) {
  __asm__ volatile("" ::: "memory");
}
__attribute__((noinline)) void final_stop(void) {
  __asm__ volatile("" ::: "memory");
}
__attribute__((noinline)) void held_stop(void) {
  __asm__ volatile("" ::: "memory");
}

static void wait_until(const volatile int *flag) {
  for (int i = 0; !*flag && i < 24000; i++) usleep(10000);
  if (!*flag) _exit(75); // gdb never came
}

static void announce(void) {
  char line[32];
  const char *path = getenv("STOPS_PIPE");
  int pipe = path ? open(path, O_WRONLY | O_CLOEXEC) : -1;
  int length = snprintf(line, sizeof line, "%d\n", getpid());
  if (pipe < 0 || write(pipe, line, (size_t)length) != length) _exit(76);
  close(pipe);
}

static int drawn(void) {
  static _Thread_local uint64_t state;
  static uint64_t threads, every;
  if (!state) {
    uint64_t thread = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
    state = number("STOPS_SEED") * 1009 + number("PMI_RANK") * 13 +
            number("OMPI_COMM_WORLD_RANK") * 13 + thread;
    every = number("STOPS_EVERY");
  }
  state = state * 6364136223846793005u + 1442695040888963407u;
  return every && (state >> 33) % every == 0;
}

static int enter(struct mpipp_passage *passage) {
  static int begun;
  if (!__atomic_exchange_n(&begun, 1, __ATOMIC_RELAXED)) {
    announce();
    wait_until(&stops_attached);
  }
  if (stops_hold) {
    held_stop();
    for (;;) pause(); // the test ends the process
  }
  if (passage->call->procedure == MPIPP_PROC_Finalize) final_stop();
  if (drawn()) random_stop();
  return MPIPP_GO_ON;
}

static void leave(struct mpipp_passage *passage) {
  (void)passage;
  if (drawn()) random_stop();
}

__attribute__((constructor)) static void hook_in(void) {
  static struct mpipp_hook hook = {.enter = enter, .leave = leave};
  mpipp_hook_in(&hook);
}
