// SPDX-License-Identifier: MIT
#include "recorder/ledger/timestamps.h"

#include <time.h>

#include "registry/object_store.h"
#include "registry/registry.h"

enum { TIMES = 4096 }; // only the last ones are kept

uint64_t mpipp_recorder_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void mpipp_recorder_time_locked(uint64_t history, uint64_t ordinal) {
  static struct mpipp_timed *times;
  static uint64_t noted;
  struct mpipp_table *table = mpipp_registry_times_table();
  if (!times) {
    times = mpipp_registry_map(TIMES * sizeof *times);
    table->entries = (uint64_t)(uintptr_t)times;
  }
  if (!times) return;
  struct mpipp_timed *one = &times[noted++ % TIMES];
  MPIPP_WRITE(one->history, 0); // no reader may take the new time for that of the old history
  __atomic_thread_fence(__ATOMIC_RELEASE);
  MPIPP_WRITE(one->ordinal, ordinal);
  MPIPP_WRITE(one->time, mpipp_recorder_now());
  __atomic_store_n(&one->history, history, __ATOMIC_RELEASE);
  if (noted <= TIMES) __atomic_store_n(&table->count, noted, __ATOMIC_RELEASE);
}
