// SPDX-License-Identifier: MIT
#include "perturb/statistics.h"

#include <pthread.h>
#include <stddef.h>

#include "abi/mpi_symbols.h"
#include "registry/object_store.h"
#include "registry/registry.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mpipp_provoked *entries;

static _Thread_local struct mpipp_at here;
static _Thread_local int is_counted;

struct mpipp_at mpipp_perturb_at(const struct mpipp_call *call) {
  return (struct mpipp_at){mpipp_abi_outside_mpi_at(call->caller, call->frame), call->procedure};
}

// Allocates the table in memory that a watcher reads. Without memory nothing is counted.
static void open_table(void) {
  static int is_tried;
  if (is_tried) return;
  is_tried = 1;
  mpipp_registry_lock();
  entries = mpipp_registry_allocate(MPIPP_PROVOKED * sizeof *entries);
  mpipp_registry_unlock();
  if (!entries) return;
  struct mpipp_table *table = mpipp_registry_perturbation_table();
  table->entries = (uintptr_t)entries;
  __atomic_store_n(&table->count, MPIPP_PROVOKED, __ATOMIC_RELEASE);
}

static struct mpipp_provoked *entry(const struct mpipp_at *of, enum mpipp_way way,
                                    const struct mpipp_at *by) {
  enum { PLACES = MPIPP_PROVOKED - 1, TRIES = 16 };
  const uint64_t odd = 0x9E3779B97F4A7C15u;
  uint64_t hash = (of->caller * odd ^ of->procedure) * odd ^ by->caller;
  hash = ((hash * odd ^ by->procedure) * odd ^ way) * odd >> 32;
  for (uint64_t i = 0; i < TRIES; i++) {
    struct mpipp_provoked *found = &entries[(hash + i) % PLACES];
    if (!found->way) {
      found->caller = of->caller;
      found->procedure = of->procedure;
      found->by_caller = by->caller;
      found->by_procedure = by->procedure;
      found->least = UINT64_MAX;
      MPIPP_WRITE(found->way, way);
    }
    if (found->caller == of->caller && found->procedure == of->procedure && found->way == way &&
        found->by_caller == by->caller && found->by_procedure == by->procedure)
      return found;
  }
  return &entries[PLACES];
}

void mpipp_perturb_note(const struct mpipp_at *of, enum mpipp_way way, const struct mpipp_at *by,
                        uint64_t amount) {
  static const struct mpipp_at none;
  pthread_mutex_lock(&lock);
  open_table();
  if (entries) {
    struct mpipp_provoked *found = entry(of, way, by ? by : &none);
    found->times++;
    if (amount < found->least) found->least = amount;
    if (amount > found->most) found->most = amount;
  }
  pthread_mutex_unlock(&lock);
}

void mpipp_perturb_note_place(const struct mpipp_call *call) {
  here = mpipp_perturb_at(call);
  is_counted = 0;
}

const struct mpipp_at *mpipp_perturb_call_site(void) {
  return &here;
}

void mpipp_perturb_note_call(enum mpipp_way way) {
  if (!is_counted) mpipp_perturb_note(&here, MPIPP_WAY_CALLED, NULL, 0);
  is_counted = 1;
  if (way != MPIPP_WAY_CALLED) mpipp_perturb_note(&here, way, NULL, 0);
}
