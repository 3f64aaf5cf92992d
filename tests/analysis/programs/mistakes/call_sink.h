// SPDX-License-Identifier: MIT
// Calls that do not reach MPI (taken.c), each with its finding of `mpipp check`:
//
//   WRONG("check: the finding", call);            RIGHT(call);
#include <dlfcn.h>

#define WRONG(what, call) (*next = what, (void)(call))
#define RIGHT(call) WRONG("", call)

static const char *volatile *next;

static int find_next(void) {
  next = dlsym(RTLD_DEFAULT, "taken_next");
  return next != 0;
}
