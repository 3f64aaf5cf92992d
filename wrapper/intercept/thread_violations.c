// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "intercept/thread_violations.h"

#include <dlfcn.h>
#include <string.h>

#include "abi/mpi_symbols.h"
#include "recorder/threads/threads.h"
#include "registry/object_store.h"
#include "registry/registry.h"

enum { MAX_BREACHES = 32 };

static struct mpipp_breach *breaches;

int mpipp_intercept_is_thread_of_mpi(uint64_t caller, uint64_t outside) {
  Dl_info info;
  if (mpipp_is_outside_mpi(caller) || !dladdr((void *)(uintptr_t)outside, &info)) return 0;
  const char *base = info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
  return base && (strncmp(base, "/libc.", 6) == 0 || strncmp(base, "/libpthread", 11) == 0);
}

static int is_same(const struct mpipp_breach *one, const struct mpipp_breach *other) {
  if (one->kind != other->kind) return 0;
  int is_equal = one->procedure == other->procedure && one->caller == other->caller &&
                 one->other_procedure == other->other_procedure &&
                 one->other_caller == other->other_caller;
  int is_reverse = one->procedure == other->other_procedure && one->caller == other->other_caller &&
                   one->other_procedure == other->procedure && one->other_caller == other->caller;
  return is_equal || (is_reverse && one->kind != MPIPP_BREACH_LEVEL);
}

int mpipp_intercept_add_violation(const struct mpipp_breach *breach) {
  struct mpipp_table *table = mpipp_registry_breach_table();
  struct mpipp_breach *place = NULL;
  mpipp_registry_lock();
  if (!breaches) breaches = mpipp_registry_map(MAX_BREACHES * sizeof *breaches);
  uint64_t count = breaches ? table->count : MAX_BREACHES, i = breaches ? 0 : MAX_BREACHES;
  while (i < count && !is_same(&breaches[i], breach)) i++;
  if (i == count && count < MAX_BREACHES) {
    place = &breaches[i];
    *place = *breach;
    table->entries = (uint64_t)(uintptr_t)breaches;
    __atomic_store_n(&table->count, count + 1, __ATOMIC_RELEASE);
  } else if (i < count && breaches[i].state != MPIPP_BREACH_CERTAIN) {
    place = &breaches[i];
    *place = *breach;
  }
  mpipp_registry_unlock();
  return place != NULL;
}

// The place of another thread's call. If it is a line of Python, only that thread itself can find
// it.
static uint64_t place_of(const struct mpipp_thread *other, uint64_t serial) {
  uint64_t caller = MPIPP_READ(other->call.caller), python = MPIPP_READ(other->place_serial);
  if (!python) return mpipp_outside_mpi(caller);
  return python == serial ? MPIPP_READ(other->place) : caller;
}

int mpipp_intercept_add_concurrent(struct mpipp_breach *breach, struct mpipp_thread *other,
                                   uint64_t serial) {
  breach->state = MPIPP_BREACH_SEEN;
  breach->other_tid = other->tid;
  breach->other_thread = other->serial;
  breach->other_serial = serial;
  breach->other_procedure = MPIPP_READ(other->call.procedure);
  breach->other_caller = place_of(other, serial);
  int added = mpipp_intercept_add_violation(breach);
  if (added) {
    __atomic_store_n(&other->suspected, 1, __ATOMIC_RELEASE);
    MPIPP_WRITE(other->watched, 1);
  }
  return added;
}

void mpipp_intercept_confirm_violations(struct mpipp_thread *thread) {
  if (!MPIPP_READ(thread->suspected)) return;
  mpipp_registry_lock();
  for (uint64_t i = 0; i < mpipp_registry_breach_table()->count; i++) {
    if (breaches[i].other_thread == thread->serial &&
        breaches[i].other_serial == thread->call.serial)
      MPIPP_WRITE(breaches[i].state, MPIPP_BREACH_CERTAIN);
  }
  MPIPP_WRITE(thread->suspected, 0);
  mpipp_registry_unlock();
}
