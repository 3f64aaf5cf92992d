// SPDX-License-Identifier: MIT
// Sections of GCC's OpenMP. On a busy processor one thread may execute all sections before the
// others arrive, and then their accesses are not concurrent. So a thread that has executed a
// section waits for a moment, until all threads of its team have asked for one.
#define _GNU_SOURCE
#include <stdint.h>
#include <time.h>

#include "thread_order/module_functions.h"
#include "thread_order/openmp_sections.h"

enum { PAUSE_NS = 20000, PAUSES = 2000 };

static __thread struct mpipp_order_sections own __attribute__((tls_model("initial-exec")));
// 1 after threads have not arrived in time: they may have long work before the construct.
static int is_vain;

struct mpipp_order_sections mpipp_order_begin_sections(uint32_t *asked) {
  struct mpipp_order_sections outer = own;
  own = (struct mpipp_order_sections){.asked = asked};
  return outer;
}

void mpipp_order_end_sections(struct mpipp_order_sections outer) {
  own = outer;
}

MPIPP_NEXT_FOR(int, omp_get_num_threads, (void))

static void let_others_ask(const void *place) {
  if (!own.asked || !own.has_asked || __atomic_load_n(&is_vain, __ATOMIC_RELAXED)) return;
  int (*threads)(void) = omp_get_num_threads_next(place);
  if (!threads) return;
  uint32_t all = own.constructs * (uint32_t)threads();
  for (int i = 0; i < PAUSES; i++) {
    if (__atomic_load_n(own.asked, __ATOMIC_RELAXED) >= all) return;
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
  }
  __atomic_store_n(&is_vain, 1, __ATOMIC_RELAXED);
}

static void ask(void) {
  if (!own.asked || own.has_asked) return;
  own.has_asked = 1;
  own.constructs++;
  __atomic_fetch_add(own.asked, 1, __ATOMIC_RELAXED);
}

MPIPP_NEXT_FOR(unsigned, GOMP_sections_start, (unsigned count))
MPIPP_OVER unsigned GOMP_sections_start(unsigned count);
MPIPP_OVER unsigned GOMP_sections_start(unsigned count) {
  own.has_asked = 0;
  unsigned section = GOMP_sections_start_next(MPIPP_PLACE)(count);
  ask();
  return section;
}

MPIPP_NEXT_FOR(unsigned, GOMP_sections_next, (void))
MPIPP_OVER unsigned GOMP_sections_next(void);
MPIPP_OVER unsigned GOMP_sections_next(void) {
  let_others_ask(MPIPP_PLACE);
  unsigned section = GOMP_sections_next_next(MPIPP_PLACE)();
  ask();
  return section;
}
