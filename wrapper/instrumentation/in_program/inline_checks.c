// SPDX-License-Identifier: MIT
// Code that becomes part of each object file that Clang compiles for `mpipp cc`. It is inlined in
// place of the calls that -fsanitize=thread makes. Each object file has a copy of the checked
// ranges, whose address no other object knows. So no store of the program changes the copy. So
// Clang can make two versions of a loop without calls: the one for the case that nothing is checked
// has no checks at all.
#include "instrumentation/in_program/interface.h"

#define INSIDE __attribute__((always_inline, used)) static
#define INLINE static inline __attribute__((always_inline))
#define OFTEN_NOT(X) __builtin_expect(!!(X), 0)
#define WORD(X) ((uint64_t)(uintptr_t)(X))

static unsigned char active __attribute__((section("mpipp_active")));

// The compiler must assume that any call may change the variable, so it loads it again after each
// call.
__attribute__((used)) static void mpipp_inlined_look(unsigned char any) {
  active = any;
}

// These functions do not access the program's memory. mpipp/cli adds that to their declarations in
// LLVM's code.
__attribute__((preserve_all)) extern void mpipp_inlined_load(uint64_t address, uint64_t length);
__attribute__((preserve_all)) extern void mpipp_inlined_store(uint64_t address, uint64_t length);
// Returns the kinds of checked ranges that may overlap these bytes; 0 if none does.
__attribute__((preserve_all)) extern unsigned mpipp_inlined_span(uint64_t low, uint64_t high);
// Reports loads or stores (interface.h).
__attribute__((preserve_all)) extern void
mpipp_inlined_comb(uint64_t first, uint64_t last, uint64_t count, uint64_t bytes_and_stores);

INLINE void check_access(const volatile void *address, uint64_t length, int stores, int looks) {
  if (OFTEN_NOT(looks)) {
    const unsigned char *shadow = (const unsigned char *)(WORD(address) >> MPIPP_SHADOW_SHIFT);
    unsigned char found = shadow[MPIPP_SHADOW_AT];
    if (OFTEN_NOT(found & (stores ? MPIPP_SHADOW_STORES : MPIPP_SHADOW_LOADS))) {
      if (stores)
        mpipp_inlined_store(WORD(address), length);
      else
        mpipp_inlined_load(WORD(address), length);
    }
  }
}

INLINE void check_range(const volatile void *address, uint64_t length, int stores, int looks) {
  if (OFTEN_NOT(looks) && OFTEN_NOT(mpipp_inlined_span(WORD(address), WORD(address) + length))) {
    if (stores)
      mpipp_inlined_store(WORD(address), length);
    else
      mpipp_inlined_load(WORD(address), length);
  }
}

#define OF_SIZE(BYTES)                                                                             \
  INSIDE void __tsan_read##BYTES(void *address) {                                                  \
    check_access(address, BYTES, 0, active);                                                       \
  }                                                                                                \
  INSIDE void __tsan_write##BYTES(void *address) {                                                 \
    check_access(address, BYTES, 1, active);                                                       \
  }                                                                                                \
  INSIDE void __tsan_unaligned_read##BYTES(void *address) {                                        \
    check_access(address, BYTES, 0, active);                                                       \
  }                                                                                                \
  INSIDE void __tsan_unaligned_write##BYTES(void *address) {                                       \
    check_access(address, BYTES, 1, active);                                                       \
  }                                                                                                \
  INSIDE void __tsan_read_write##BYTES(void *address) {                                            \
    check_access(address, BYTES, 1, active);                                                       \
  }                                                                                                \
  INSIDE void __tsan_unaligned_read_write##BYTES(void *address) {                                  \
    check_access(address, BYTES, 1, active);                                                       \
  }
OF_SIZE(1)
OF_SIZE(2)
OF_SIZE(4)
OF_SIZE(8)
OF_SIZE(16)

INSIDE void __tsan_vptr_read(void *address) {
  check_access(address, sizeof(void *), 0, active);
}

INSIDE void __tsan_vptr_update(void *address, void *value) {
  (void)value;
  check_access(address, sizeof(void *), 1, active);
}

// For sizes for which no function is defined above.
INSIDE void mpipp_inlined_loads(void *address, uint64_t length) {
  check_range(address, length, 0, active);
}

INSIDE void mpipp_inlined_stores(void *address, uint64_t length) {
  check_range(address, length, 1, active);
}

INSIDE void *mpipp_inlined_memcpy(void *to, const void *from, uint64_t length) {
  check_range(from, length, 0, active);
  check_range(to, length, 1, active);
  return __builtin_memcpy(to, from, length);
}

INSIDE void *mpipp_inlined_memmove(void *to, const void *from, uint64_t length) {
  check_range(from, length, 0, active);
  check_range(to, length, 1, active);
  return __builtin_memmove(to, from, length);
}

INSIDE void *mpipp_inlined_memset(void *to, int byte, uint64_t length) {
  check_range(to, length, 1, active);
  return __builtin_memset(to, byte, length);
}

// Checks in loops. Before a loop, one check covers all bytes that the loop accesses.
// mpipp/toolchain/instrument/llvm_ir/hoist_loop_checks.py adds that code. The following functions
// get the result of the check.
INSIDE unsigned mpipp_inlined_overlaps(uint64_t low, uint64_t high) {
  return OFTEN_NOT(active) ? mpipp_inlined_span(low, high) : 0;
}

// Reports all accesses of one line of the loop together. turn: the number of the last iteration,
// from 0.
INSIDE void mpipp_inlined_record(_Bool keeps, uint64_t first, uint64_t last, int64_t turn,
                                 uint64_t bytes_and_stores) {
  if (OFTEN_NOT(keeps))
    mpipp_inlined_comb(first, turn > 0 ? last : first, turn > 0 ? (uint64_t)turn + 1 : 1,
                       bytes_and_stores);
}

INSIDE uint64_t mpipp_inlined_min(uint64_t one, uint64_t other) {
  return one < other ? one : other;
}

INSIDE uint64_t mpipp_inlined_max(uint64_t one, uint64_t other) {
  return one > other ? one : other;
}

INSIDE void mpipp_inlined_load_if(_Bool looks, void *address, uint64_t length) {
  if (length <= MPIPP_SHADOW_REACH)
    check_access(address, length, 0, looks);
  else
    check_range(address, length, 0, looks);
}

INSIDE void mpipp_inlined_store_if(_Bool looks, void *address, uint64_t length) {
  if (length <= MPIPP_SHADOW_REACH)
    check_access(address, length, 1, looks);
  else
    check_range(address, length, 1, looks);
}
