// SPDX-License-Identifier: MIT
// All kinds of loops over an array, each element of which is checked in turn. mpipp must report
// exactly the accesses that a copy of the loop records.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "instrumentation/in_program/interface.h"

enum { SIZE = 160, MARK = MPIPP_SHADOW_ANY | MPIPP_SHADOW_MARKS };
typedef struct {
  double x, y, z;
  int kind;
} point;

static double room[SIZE + 32];
static double *const all = room + 16;
static const int at[] = {7, 3, 99, 50};
static unsigned char touched[SIZE];
static uint64_t found;

extern struct mpipp_program mpipp_program __attribute__((visibility("hidden")));

// The accesses that the copies of the loops record.
static void touch(const void *address, uint64_t bytes) {
  uint64_t first = (uint64_t)((const char *)address - (const char *)all);
  for (uint64_t byte = first; byte < first + bytes; byte++)
    if (byte / sizeof *all < SIZE) touched[byte / sizeof *all] = 1;
}

static void accesses(uint64_t address, uint64_t bytes, int stores, uint64_t next) {
  (void)stores, (void)next;
  uint64_t looked = found >> 1;
  if (address < looked + sizeof *all && address + bytes > looked) found |= 1;
}

// The elements whose accesses are recorded (kept) instead of checked.
static unsigned char kept[SIZE];
static uint64_t elements_kept; // more than one at a time

static void keep(uint64_t address, uint64_t bytes) {
  uint64_t first = address - (uint64_t)(uintptr_t)all;
  for (uint64_t byte = first; byte < first + bytes; byte++)
    if (byte / sizeof *all < SIZE) kept[byte / sizeof *all] = 1;
}

static void keep_one(uint64_t address, uint64_t bytes, int stores, uint64_t next) {
  (void)stores, (void)next;
  keep(address, bytes);
}

static void keep_all(MPIPP_COMB) {
  (void)next;
  int64_t distance = (int64_t)(last - first) / (int64_t)(count - 1);
  for (uint64_t i = 0; i < count; i++) keep(first + i * (uint64_t)distance, bytes_and_stores >> 1);
  elements_kept += count;
}

static int is_kept_right(void (*run)(double *, long), long n) {
  uint64_t low = (uint64_t)(uintptr_t)room;
  struct mpipp_span span = {low, low + sizeof room, MPIPP_SPAN_KEPT};
  memset(kept, 0, sizeof kept);
  memset((void *)(MPIPP_SHADOW_AT + (low >> MPIPP_SHADOW_SHIFT)), MARK, sizeof room / 8);
  mpipp_program.accesses = keep_one;
  mpipp_program.look(&span, 1);
  run(all, n);
  mpipp_program.look(NULL, 0);
  mpipp_program.accesses = accesses;
  memset((void *)(MPIPP_SHADOW_AT + (low >> MPIPP_SHADOW_SHIFT)), 0, sizeof room / 8);
  return memcmp(kept, touched, sizeof kept) == 0;
}

#define LOOPS                                                                                      \
  LOOP(upward, for (long i = 2; i < n; i++) SET(a[i]))                                             \
  LOOP(upward_of_int, for (int i = 2; i <= (int)n; i += 3) SET(a[i]))                              \
  LOOP(upward_of_unsigned, for (unsigned i = 2; i != (unsigned)n; i++) SET(a[i * 3 % 64]))         \
  LOOP(unsigned_that_wraps,                                                                        \
       for (unsigned i = 0; i < (unsigned)n; i++) if (i % 4 == 3) SET(a[i - 3u]))                  \
  LOOP(downward, for (long i = n - 1; i >= 0; i -= 2) SET(a[i]))                                   \
  LOOP(downward_of_int, for (int i = (int)n; i-- > 3;) SET(a[i]))                                  \
  LOOP(by_pointer, for (double *p = a + 4; p != a + n; p++) SET(*p))                               \
  LOOP(by_pointer_downward, for (double *p = a + n; p-- > a + 5;) SET(*p))                         \
  LOOP(                                                                                            \
      by_two, double *p = a; double *q = a + 90; for (long i = n; i--; p += 2) {                   \
        SET(*p);                                                                                   \
        SET(*q);                                                                                   \
        q--;                                                                                       \
      })                                                                                           \
  LOOP(with_step, for (long i = 0, k = 3; i < n / 3; i++, k += n / 2) SET(a[k]))                   \
  LOOP(                                                                                            \
      with_end, for (long i = 0; i < n; i++) {                                                     \
        SET(a[i]);                                                                                 \
        if (GET(a[i + 20]) > 3) break;                                                             \
      })                                                                                           \
  LOOP(with_condition, for (long i = 0; i < n; i++) if (at[i % 4] > 20) SET(a[2 * i]))             \
  LOOP(of_structures, point *p = (point *)a; for (long i = 0; i < n; i++) SET(p[i].z))             \
  LOOP(of_bytes, for (long i = 3; i < n; i++) SET(((char *)a)[7 * i]))                             \
  LOOP(elsewhere, for (long i = 0; i < 4; i++) SET(a[at[i]]))                                      \
  LOOP(in_rows, for (long i = 1; i < 5; i++) for (long j = 1; j < n / 2; j++) SET(a[i * 16 + j]))  \
  LOOP(in_columns,                                                                                 \
       for (long i = 0; i < n / 5; i++) for (long j = n / 3; j > 1; j--) SET(a[j * n + i]))        \
  LOOP(in_triangle,                                                                                \
       for (long i = 0; i < n / 2; i++) for (long j = 0; j < i; j++) SET(a[i * 10 + j]))           \
  LOOP(                                                                                            \
      in_three, for (long i = 0; i < n / 7; i++) for (long j = 0; j < n / 7; j++) {                \
        for (long k = 0; k < n / 5; k++) SET(a[k * 20 + j * 5 + i]);                               \
        SET(a[130 + i]);                                                                           \
      })                                                                                           \
  LOOP(until_found, long i = n; while (i < 100 && GET(a[i]) < 3) i += 3; SET(a[i]))                \
  LOOP(never, for (long i = n; i < 3; i++) SET(a[i]))                                              \
  LOOP(once, long i = n; do SET(a[i]); while (++i < 3))

#define SET(PLACE) ((PLACE) = (PLACE) / 3)
#define GET(PLACE) (PLACE)
#define LOOP(NAME, ...)                                                                            \
  __attribute__((noinline)) void NAME(double *a, long n) {                                         \
    __VA_ARGS__;                                                                                   \
  }
LOOPS
#undef LOOP
#undef SET
#undef GET

#define SET(PLACE) touch(&(PLACE), sizeof(PLACE))
#define GET(PLACE) (touch(&(PLACE), sizeof(PLACE)), 0)
#define LOOP(NAME, ...)                                                                            \
  static void copy_of_##NAME(double *a, long n) {                                                  \
    __VA_ARGS__;                                                                                   \
  }
LOOPS
#undef LOOP

#define LOOP(NAME, ...) {#NAME, NAME, copy_of_##NAME},
static const struct {
  const char *name;
  void (*run)(double *, long), (*copy)(double *, long);
} loops[] = {LOOPS};

int main(void) {
  volatile long n = 22;
  mpipp_program.accesses = accesses;
  mpipp_program.combs = keep_all;
  if (!mpipp_program.map()) return 2;
  for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++) {
    int wrong = 0, count = 0;
    memset(touched, 0, sizeof touched);
    loops[i].copy(all, n);
    for (int k = 0; k < SIZE; k++) {
      uint64_t address = (uint64_t)(uintptr_t)&all[k];
      unsigned char *shadow = (unsigned char *)(MPIPP_SHADOW_AT + (address >> MPIPP_SHADOW_SHIFT));
      struct mpipp_span span = {address - MPIPP_SHADOW_REACH, address + sizeof *all,
                                MPIPP_SPAN_PENDING};
      found = address << 1;
      *shadow = MARK;
      mpipp_program.look(&span, 1);
      loops[i].run(all, n);
      mpipp_program.look(NULL, 0);
      *shadow = 0;
      wrong += (found & 1) != touched[k];
      count += touched[k];
    }
    int right = is_kept_right(loops[i].run, n);
    printf("%s %d%s%s\n", loops[i].name, count, wrong ? " WRONG" : "", right ? "" : " NOT KEPT");
  }
  printf("kept at once: %d\n", (int)elements_kept);
  return 0;
}
