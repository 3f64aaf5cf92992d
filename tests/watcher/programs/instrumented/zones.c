// SPDX-License-Identifier: MIT
// After a longjmp, GCC's marks of the left frame cover other variables. An access there removes
// them. Accesses to the guard's marks are reported, and these stay. Prints the counts.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "instrumentation/in_program/interface.h"

struct odd {
  char bytes[3];
};
struct __attribute__((packed)) apart {
  char first;
  double second;
};
struct pair {
  double one, other;
};

extern struct mpipp_program mpipp_program __attribute__((visibility("hidden")));
static _Alignas(16) struct pair memory[2], *volatile place = memory;
static int told;

__attribute__((no_sanitize("kernel-address"))) static void
accesses(uint64_t address, uint64_t bytes, int stores, uint64_t next) {
  (void)address, (void)bytes, (void)stores, (void)next;
  told++;
}

// Sets the two shadow bytes of the memory.
__attribute__((no_sanitize("kernel-address"))) static void set(unsigned char byte) {
  memset((void *)(MPIPP_SHADOW_AT + ((uintptr_t)memory >> MPIPP_SHADOW_SHIFT)), byte, 2);
}

__attribute__((no_sanitize("kernel-address"))) static int left(void) {
  const unsigned char *at = (void *)(MPIPP_SHADOW_AT + ((uintptr_t)memory >> MPIPP_SHADOW_SHIFT));
  return at[0] != 0 || at[1] != 0;
}

__attribute__((noinline)) static void unaligned(void) {
  ((struct apart *)place)->second = 1;
}

__attribute__((noinline)) static void copies_three(void) {
  *(struct odd *)((char *)place + 6) = *(struct odd *)(place + 1);
}

__attribute__((noinline)) static void copies_pair(void) {
  *place = place[1];
}

int main(void) {
  static void (*const uses[])(void) = {unaligned, copies_three, copies_pair};
  static const unsigned char zones[] = {0xf1, 0xf2, 0xf3, 0xf8};
  int remaining = 0;
  mpipp_program.accesses = accesses;
  for (unsigned i = 0; i < sizeof uses / sizeof *uses; i++)
    for (unsigned k = 0; k < sizeof zones; k++) {
      set(zones[k]);
      uses[i]();
      remaining += left();
    }
  printf("zones: left %d\n", remaining);
  told = remaining = 0;
  for (unsigned i = 0; i < sizeof uses / sizeof *uses; i++) {
    set(MPIPP_SHADOW_ANY | MPIPP_SHADOW_MARKS);
    uses[i]();
    remaining += left();
  }
  printf("marks: told %d, left %d\n", told, remaining);
  return 0;
}
