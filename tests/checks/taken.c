// SPDX-License-Identifier: MIT
// Preloaded beside the wrapper, as the hook at its seam: takes over the calls that a program marks,
// so that what is wrong of them does no harm, and holds them for gdb meanwhile.
#include <stdio.h>
#include <stdlib.h>

#include "intercept/seam.h"

// Set by the program: its next call is held and not made. What gdb is to find there.
const char *volatile taken_next;

// Where gdb breaks; without it, TAKEN_SAID names a file for what is to be found.
__attribute__((noinline)) void taken_stop(const char *what) {
  __asm__ volatile("" ::"r"(what) : "memory");
}

static int enter(struct mpipp_passage *passage) {
  const char *what = taken_next;
  if (!what) return MPIPP_GO_ON;
  taken_next = 0;
  taken_stop(what);
  const char *said = getenv("TAKEN_SAID");
  FILE *file = said ? fopen(said, "a") : NULL;
  if (file) {
    fprintf(file, "%s\n", what);
    fclose(file);
  }
  passage->code = 16; // no success: nothing is recorded of it
  return MPIPP_DROPPED;
}

__attribute__((constructor)) static void hook_in(void) {
  static struct mpipp_hook hook = {.enter = enter};
  mpipp_hook_in(&hook);
}
