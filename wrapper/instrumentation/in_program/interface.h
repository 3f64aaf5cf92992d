// SPDX-License-Identifier: MIT
// What a program that `mpipp cc` has compiled and the wrapper's library know of each other. Each
// executable and shared library that was linked so has one of these.
#ifndef MPIPP_INSTRUMENTATION_IN_PROGRAM_INTERFACE_H
#define MPIPP_INSTRUMENTATION_IN_PROGRAM_INTERFACE_H

#include <stdint.h>

// A byte for eight of the program's, as GCC's -fsanitize=kernel-address looks at them. A mark is
// negative: loads and stores of all sizes are looked at closely then. What GCC itself puts around
// variables of a frame, and in their place outside of their scope, is none.
#define MPIPP_SHADOW_AT ((uint64_t)0x7fff8000)
#define MPIPP_SHADOW_BYTES ((uint64_t)1 << 44)
enum {
  MPIPP_SHADOW_SHIFT = 3,
  MPIPP_SHADOW_ANY = 0x80,
  MPIPP_SHADOW_STORES = 1, // these are looked at
  MPIPP_SHADOW_LOADS = 2,
  MPIPP_SHADOW_MARKS = MPIPP_SHADOW_STORES | MPIPP_SHADOW_LOADS,
  // The longest access that is looked up by its first byte: what begins so far before a byte that
  // is looked at is looked at, too.
  MPIPP_SHADOW_REACH = 16,
};

// A mark's, or 0 of what is none.
static inline int mpipp_marks(unsigned char shadow) {
  return (shadow & ~MPIPP_SHADOW_MARKS) == MPIPP_SHADOW_ANY ? shadow & MPIPP_SHADOW_MARKS : 0;
}

enum { MPIPP_PROGRAM_VERSION = 4, MPIPP_SPANS = 16 };

// Bytes [low, high) that are looked at, and why: they are used by pending operations; all loads and
// stores are kept.
enum { MPIPP_SPAN_PENDING = 1, MPIPP_SPAN_KEPT = 2 };
struct mpipp_span {
  uint64_t low, high, kinds;
};

// Accesses of a line at equal distances: the first address and the last, how many there are, twice
// the bytes of each, and 1 if they are stores; the return address of what sees to it.
#define MPIPP_COMB                                                                                 \
  uint64_t first, uint64_t last, uint64_t count, uint64_t bytes_and_stores, uint64_t next

struct mpipp_program {
  uint64_t version;
  // The library's, NULL without one: the program loads or stores bytes that may be looked at.
  // next: the return address of what sees to it.
  void (*accesses)(uint64_t address, uint64_t bytes, int stores, uint64_t next);
  // The same of many, which are to be kept; quickly: without any register of floating point, and 0
  // if it cannot be so.
  void (*combs)(MPIPP_COMB);
  int (*quickly)(MPIPP_COMB);
  // The program's. Maps the shadow if it is not there; 0 without.
  int (*map)(void);
  // All that is looked at lies in these; they are MPIPP_SPANS at most.
  void (*look)(const struct mpipp_span *spans, uint64_t count);
  struct mpipp_program *following; // the library's
};

// The library's, by its name. there: it has been loaded; else it is about to be gone.
#define MPIPP_PROGRAM_HERE "mpipp_program_here"
typedef void mpipp_program_here_type(struct mpipp_program *program, int there);

#endif
