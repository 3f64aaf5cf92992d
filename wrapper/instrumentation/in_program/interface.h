// SPDX-License-Identifier: MIT
// The interface between a program compiled by `mpipp cc` and the wrapper. Each executable and
// shared library that was linked this way has one struct mpipp_program.
#ifndef MPIPP_INSTRUMENTATION_IN_PROGRAM_INTERFACE_H
#define MPIPP_INSTRUMENTATION_IN_PROGRAM_INTERFACE_H

#include <stdint.h>

// The shadow has one byte for eight bytes of the program. Code of GCC's -fsanitize=kernel-address
// tests that byte. A negative byte makes that code report accesses of all sizes. The marks below
// are such bytes. GCC itself writes other values around variables of a frame, and in place of
// variables outside their scope.
#define MPIPP_SHADOW_AT ((uint64_t)0x7fff8000)
#define MPIPP_SHADOW_BYTES ((uint64_t)1 << 44)
enum {
  MPIPP_SHADOW_SHIFT = 3,
  MPIPP_SHADOW_ANY = 0x80,
  MPIPP_SHADOW_STORES = 1, // the program's stores are checked
  MPIPP_SHADOW_LOADS = 2,
  MPIPP_SHADOW_MARKS = MPIPP_SHADOW_STORES | MPIPP_SHADOW_LOADS,
  // The longest access for which only the shadow of its first byte is tested. So marks begin this
  // many bytes before the first checked byte.
  MPIPP_SHADOW_REACH = 16,
};

// The marks in a byte of the shadow; 0 if it has none.
static inline int mpipp_marks(unsigned char shadow) {
  return (shadow & ~MPIPP_SHADOW_MARKS) == MPIPP_SHADOW_ANY ? shadow & MPIPP_SHADOW_MARKS : 0;
}

enum { MPIPP_PROGRAM_VERSION = 5, MPIPP_SPANS = 16 };

// A checked range of bytes [low, high), and the reasons: a pending operation uses it, or all its
// loads and stores are recorded.
enum { MPIPP_SPAN_PENDING = 1, MPIPP_SPAN_KEPT = 2 };
struct mpipp_span {
  uint64_t low, high, kinds;
};

// The parameters for accesses of one line with equal spacing. first, last: addresses. count: number
// of accesses. bytes_and_stores: twice the bytes of each, plus 1 for stores. next: a return address
// in the code that reports them.
#define MPIPP_COMB                                                                                 \
  uint64_t first, uint64_t last, uint64_t count, uint64_t bytes_and_stores, uint64_t next

struct mpipp_program {
  uint64_t version;
  // A function of the wrapper, NULL without it: the program loads or stores bytes that may be in a
  // checked range. next: a return address in the code that reports this.
  void (*accesses)(uint64_t address, uint64_t bytes, int stores, uint64_t next);
  // Report many recorded accesses at once. `quickly` uses no floating-point register, and returns 0
  // if it cannot record them.
  void (*combs)(MPIPP_COMB);
  int (*quickly)(MPIPP_COMB);
  // A function of the program, which maps the shadow if it is not mapped yet. Returns 0 if that
  // fails.
  int (*map)(void);
  // A function of the program: sets the ranges that contain all checked bytes, at most MPIPP_SPANS.
  void (*look)(const struct mpipp_span *spans, uint64_t count);
  // A function of the wrapper, NULL if only one thread exists: an atomic operation begins, or
  // (acquires) has ended. place: a return address in the program.
  void (*orders)(const volatile void *address, int acquires, const void *place);
  struct mpipp_program *following; // used by the wrapper: next in its list
};

// The name of the wrapper's function that registers a part of the program. there: 1 when the part
// was loaded, 0 before it is unloaded.
#define MPIPP_PROGRAM_REGISTER "mpipp_program_register"
typedef void mpipp_program_register_type(struct mpipp_program *program, int there);

#endif
