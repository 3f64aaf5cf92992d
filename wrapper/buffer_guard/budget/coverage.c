// SPDX-License-Identifier: MIT
#include "buffer_guard/budget/coverage.h"

#include <stdlib.h>

#include "abi/mpi_symbols.h"
#include "abi/vendor.h"
#include "registry/object_store.h"
#include "registry/registry.h"

enum {
  PERCENT = 10
}; // percent of the time that guarding may take, unless MPIPP_BUDGET sets
   // another value
// Any budget except 0 starts with this many ticks, about six milliseconds.
#define HEAD_START ((uint64_t)1 << 24)
// Ticks that each guarded operation costs outside the measured code: its calls pass the hooks, and
// events of its request are reported.
enum { PASSAGE = 450 };

static struct mpipp_cover *covers;
static uint32_t count; // number of places in the table, without the last entry
static uint64_t begun, spent, percent = PERCENT;

uint64_t mpipp_guard_ticks(void) {
#ifdef __x86_64__
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}

int mpipp_guard_coverage_open(void) {
  mpipp_registry_lock();
  covers = mpipp_registry_allocate(MPIPP_COVERS * sizeof *covers);
  mpipp_registry_unlock();
  if (!covers) return 0;
  const char *budget = getenv("MPIPP_BUDGET");
  if (budget) percent = strtoul(budget, NULL, 10);
  begun = mpipp_guard_ticks();
  struct mpipp_table *table = mpipp_registry_cover_table();
  table->entries = (uintptr_t)covers;
  __atomic_store_n(&table->count, MPIPP_COVERS, __ATOMIC_RELEASE);
  return 1;
}

struct mpipp_cover *mpipp_guard_cover_of(const struct mpipp_call *call) {
  enum { PLACES = MPIPP_COVERS - 1, TRIES = 8 };
  if (!covers) return NULL;
  uint64_t caller = mpipp_outside_mpi(call->caller);
  uint64_t hash = (caller * 0x9E3779B97F4A7C15u ^ call->procedure) >> 32;
  for (uint64_t i = 0; i < TRIES; i++) {
    struct mpipp_cover *cover = &covers[(hash + i) % PLACES];
    if (!cover->caller) {
      cover->caller = caller;
      cover->procedure = call->procedure;
      count++;
    }
    if (cover->caller == caller && cover->procedure == call->procedure) return cover;
  }
  return &covers[PLACES];
}

static int is_always(const struct mpipp_cover *cover) {
  return MPIPP_READ(cover->always) || MPIPP_READ(covers[MPIPP_COVERS - 1].always);
}

// Processes wait for each other, so time that one process spends also delays the others, unless all
// spend it at once. So all processes of a machine have their turns together, at the beginning of
// each period. A turn is as long as the budget allows.
static int is_turn(uint64_t now, uint64_t allowed) {
  enum { STEEP = 8 }; // the whole period is a turn if less than 7/8 of the budget are spent
  const uint64_t period = (uint64_t)1 << 26;
  if (spent >= allowed) return 0;
  double part = (double)(now % period) / (double)period;
  return part * (double)allowed < STEEP * (double)(allowed - spent);
}

// A place that has used more than its share of the time waits for the other places.
static int has_time(const struct mpipp_cover *cover) {
  enum { SLACK = 2 };
  uint64_t now = mpipp_guard_ticks(), allowed = (now - begun) / 100 * percent;
  if (percent) allowed += HEAD_START;
  return is_turn(now, allowed) && cover->ticks <= spent / (count ? count : 1) + allowed / SLACK;
}

// Returns whether the budget allows to guard the next operation of a place. The first operation of
// each place is always guarded.
int mpipp_guard_coverage_affords(const struct mpipp_cover *cover) {
  if (is_always(cover)) return 1;
  if (percent && !(cover->pages + cover->compared + cover->nothing)) return 1;
  return has_time(cover);
}

// The first requests of each place are guarded, but only a limited number. Otherwise a place that
// keeps creating requests would use up the whole budget.
int mpipp_guard_coverage_offers(const struct mpipp_cover *cover) {
  enum { FIRST = 64 };
  static unsigned char made[MPIPP_COVERS];
  unsigned char *number = &made[cover - covers];
  if (is_always(cover)) return 1;
  if (!percent || *number == FIRST) return has_time(cover);
  ++*number;
  return 1;
}

void mpipp_guard_coverage_begin(struct mpipp_cover *cover) {
  cover->ticks += PASSAGE;
  spent += PASSAGE;
}

void mpipp_guard_coverage_spend(struct mpipp_cover *cover, uint64_t since) {
  uint64_t ticks = mpipp_guard_ticks() - since;
  cover->ticks += ticks;
  spent += ticks;
}
