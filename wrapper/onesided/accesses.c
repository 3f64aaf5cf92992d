// SPDX-License-Identifier: MIT
#include "onesided/accesses.h"

#include <stddef.h>

#include "onesided/log.h"
#include "recorders/threads.h"
#include "records/store.h"

enum { RUNS = 64 }; // a power of two
// Without any register of floating point: who calls it keeps his.
#define PLAIN __attribute__((target("no-sse,no-mmx")))

// Accesses of one place, `count` of which are `stride` apart; `times` of all, some of the same
// bytes again.
struct mpipp_accesses_run {
  uint64_t next, first, bytes, stride, count, times;
  int stores;
  // Where threads do not know of each other's calls: the words of its entry, which is there from
  // the first access on and grows until a call is added, by any thread; NULL: it is kept back.
  uint64_t *entry;
  uint64_t calls; // that had been added then
};

int mpipp_logs_onesided = 0;
static __thread struct mpipp_accesses_run runs[RUNS] __attribute__((tls_model("initial-exec")));
// Those in use, in the order in which they were begun; and the first place, from which others are
// counted: what is hashed is the same in each run.
static __thread unsigned char order[RUNS] __attribute__((tls_model("initial-exec")));
static __thread unsigned used __attribute__((tls_model("initial-exec")));
static __thread uint64_t first_place __attribute__((tls_model("initial-exec")));

// All words of its entry may change but where it begins: readers may come at any time.
static PLAIN void put(uint64_t *at, const struct mpipp_accesses_run *run) {
  MPIPP_WRITE(at[2], run->bytes);
  MPIPP_WRITE(at[3], run->stride);
  MPIPP_WRITE(at[4], run->count);
  MPIPP_WRITE(at[5], run->times);
}

static uint64_t *add(const struct mpipp_accesses_run *run) {
  uint64_t *at = mpipp_log_begin_at(MPIPP_LOGGED_ACCESS, 0, run->next, 6);
  if (!at) return NULL;
  at[0] = (uint64_t)run->stores;
  at[1] = run->first;
  put(at, run);
  mpipp_log_end();
  return at;
}

static void write_out(struct mpipp_accesses_run *run) {
  if (run->times) add(run);
  run->times = 0;
}

// What was kept back before another thread came may be older than what that has written.
static void write_all(void) {
  int is_late = MPIPP_READ(mpipp_several_threads);
  for (unsigned i = 0; i < used; i++) {
    if (is_late)
      runs[order[i]].times = 0;
    else
      write_out(&runs[order[i]]);
  }
  used = 0;
}

// Whether these are some of them, or the next.
static PLAIN int continues(struct mpipp_accesses_run *run, uint64_t address, uint64_t bytes) {
  uint64_t last = run->first + (run->count - 1) * run->stride;
  if (bytes != run->bytes) return 0;
  if (address == last) return 1;
  if (run->count > 1) {
    uint64_t distance = address - run->first;
    if (address >= run->first && address < last && distance % run->stride == 0) return 1;
    if (address != last + run->stride) return 0;
  } else {
    if (address < last) return 0; // downwards: one by one
    run->stride = address - last;
  }
  run->count++;
  return 1;
}

// The same of columns: again, or those beside them.
static PLAIN int widens(struct mpipp_accesses_run *run, uint64_t first, uint64_t bytes,
                        uint64_t stride, uint64_t count) {
  if (stride != run->stride || count != run->count || first < run->first) return 0;
  if (first + bytes <= run->first + run->bytes) return 1;
  if (first != run->first + run->bytes || run->bytes + bytes > stride) return 0;
  run->bytes += bytes;
  return 1;
}

static PLAIN struct mpipp_accesses_run *run_of(uint64_t next, int stores) {
  return &runs[((next - first_place) * 2 + (uint64_t)stores) * MPIPP_HASH >> 58];
}

// What others do meanwhile is not known: a thread that never calls MPI does not even know who does.
static PLAIN int is_shared(void) {
  return MPIPP_READ(mpipp_several_threads) || mpipp_self == &mpipp_no_thread;
}

PLAIN int mpipp_log_quickly(uint64_t first, uint64_t bytes, uint64_t stride, uint64_t count,
                            int stores, uint64_t next) {
  struct mpipp_accesses_run *run = run_of(next, stores);
  uint64_t times = count;
  if (!run->times || run->next != next || run->stores != stores) return 0;
  if (run->entry ? run->calls != mpipp_log_calls() : is_shared()) return 0;
  if (stride <= bytes) { // in a row
    bytes += stride * (count - 1);
    count = 1;
  }
  if (count == 1 ? !continues(run, first, bytes) : !widens(run, first, bytes, stride, count))
    return 0;
  run->times += times;
  if (run->entry) put(run->entry, run);
  return 1;
}

void mpipp_log_comb(uint64_t first, uint64_t bytes, uint64_t stride, uint64_t count, int stores,
                    uint64_t next) {
  if (mpipp_log_quickly(first, bytes, stride, count, stores, next)) return;
  if (!first_place) first_place = next;
  struct mpipp_accesses_run *run = run_of(next, stores);
  int shared = is_shared();
  if (!shared && run->times && !run->entry)
    write_out(run);
  else if (!shared)
    order[used++] = (unsigned char)(run - runs);
  *run = (struct mpipp_accesses_run){.next = next,
                                     .first = first,
                                     .bytes = bytes,
                                     .stride = stride,
                                     .count = count,
                                     .times = count,
                                     .stores = stores};
  if (stride <= bytes) {
    run->bytes += stride * (count - 1);
    run->count = 1;
  }
  if (shared) {
    // The log's order is that of the program only if nothing is kept back.
    run->calls = mpipp_log_calls();
    run->entry = add(run);
    if (!run->entry) run->times = 0;
    return;
  }
  if (MPIPP_UNLIKELY(!MPIPP_READ(mpipp_log_before))) MPIPP_WRITE(mpipp_log_before, write_all);
}

void mpipp_log_access(uint64_t address, uint64_t bytes, int stores, uint64_t next) {
  mpipp_log_comb(address, bytes, 0, 1, stores, next);
}
