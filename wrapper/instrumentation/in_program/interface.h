// SPDX-License-Identifier: MIT
// The interface between a program that `mpipp cc` has compiled and the wrapper's library. Each
// executable and shared library that was linked so has one of these.
#ifndef MPIPP_INSTRUMENTATION_IN_PROGRAM_INTERFACE_H
#define MPIPP_INSTRUMENTATION_IN_PROGRAM_INTERFACE_H

#include <stdint.h>

// One byte for eight of the program's, which GCC's -fsanitize=kernel-address tests. A mark is
// negative: then accesses of all sizes are checked in detail. The values that GCC itself writes
// around variables of a frame, and in their place outside their scope, are no marks.
#define MPIPP_SHADOW_AT ((uint64_t)0x7fff8000)
#define MPIPP_SHADOW_BYTES ((uint64_t)1 << 44)
enum {
  MPIPP_SHADOW_SHIFT = 3,
  MPIPP_SHADOW_ANY = 0x80,
  MPIPP_SHADOW_STORES = 1, // stores are checked
  MPIPP_SHADOW_LOADS = 2,
  MPIPP_SHADOW_MARKS = MPIPP_SHADOW_STORES | MPIPP_SHADOW_LOADS,
  // The longest access that is looked up by its first byte: an access that begins so far before a
  // checked byte is checked, too.
  MPIPP_SHADOW_REACH = 16,
};

// The kinds of a mark, or 0 if it is none.
static inline int mpipp_marks(unsigned char shadow) {
  return (shadow & ~MPIPP_SHADOW_MARKS) == MPIPP_SHADOW_ANY ? shadow & MPIPP_SHADOW_MARKS : 0;
}

enum { MPIPP_PROGRAM_VERSION = 4, MPIPP_SPANS = 16 };

// Bytes [low, high) that are checked, and the reason: pending operations use them; or all loads and
// stores are recorded.
enum { MPIPP_SPAN_PENDING = 1, MPIPP_SPAN_KEPT = 2 };
struct mpipp_span {
  uint64_t low, high, kinds;
};

// Equally spaced accesses of a line. They have the first address and the last, their number, twice
// the bytes of each, plus 1 for stores. next: the return address in the code that reports them.
#define MPIPP_COMB                                                                                 \
  uint64_t first, uint64_t last, uint64_t count, uint64_t bytes_and_stores, uint64_t next

struct mpipp_program {
  uint64_t version;
  // Set by the library, NULL without it: the program loads or stores bytes that may be in a checked
  // range. next: the return address in the code that reports it.
  void (*accesses)(uint64_t address, uint64_t bytes, int stores, uint64_t next);
  // Many accesses at once, which are recorded. `quickly` uses no floating-point register, and
  // returns 0 if it cannot record them.
  void (*combs)(MPIPP_COMB);
  int (*quickly)(MPIPP_COMB);
  // Set by the program. Maps the shadow if it is not there; 0 without.
  int (*map)(void);
  // Sets the ranges that contain all checked bytes, at most MPIPP_SPANS.
  void (*look)(const struct mpipp_span *spans, uint64_t count);
  struct mpipp_program *following; // the library's
};

// A function of the library, by its name. there: 1 when the program part was loaded; 0 before it is
// gone.
#define MPIPP_PROGRAM_REGISTER "mpipp_program_register"
typedef void mpipp_program_register_type(struct mpipp_program *program, int there);

#endif
