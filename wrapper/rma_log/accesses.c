// SPDX-License-Identifier: MIT
#include "rma_log/accesses.h"

#include <stddef.h>

#include "registry/object_store.h"
#include "registry/registry.h"
#include "rma_log/log.h"

enum { RUNS = 64 }; // number of runs that are remembered, a power of two
// Compiled without floating-point registers, because these still hold the program's values.
#define PLAIN __attribute__((target("no-sse,no-mmx")))

// The indices of an entry's words (registry/rma_log_entry.h).
enum { STORES, FIRST, BYTES, STRIDE, COUNT, TIMES, WORDS };

// A run of accesses from one place: COUNT addresses, each STRIDE apart. TIMES counts all accesses,
// including repetitions. The entry is in the log from the first access on, so that it is complete
// even if the process ends suddenly. The run grows until a call of any thread is logged.
struct mpipp_accesses_run {
  uint64_t key;    // identifies the place, and the kind of access
  uint64_t *entry; // the entry's words; NULL: the run is unused
  uint64_t calls;  // number of logged calls when the run began
};

int mpipp_rma_logs_onesided = 0;
static __thread struct mpipp_accesses_run runs[RUNS] __attribute__((tls_model("initial-exec")));
// The place of the thread's first access. Other places are hashed relative to it, so that the hash
// values are equal in each run of the program.
static __thread uint64_t first_place __attribute__((tls_model("initial-exec")));

// Returns whether these accesses are part of the run, or continue it. Readers may read the entry at
// any time.
static PLAIN int continues(uint64_t *entry, uint64_t address, uint64_t bytes) {
  uint64_t first = entry[FIRST], stride = entry[STRIDE], count = entry[COUNT];
  uint64_t last = first + (count - 1) * stride;
  if (bytes != entry[BYTES]) return 0;
  if (address == last) return 1;
  if (count > 1) {
    if (address >= first && address < last && (address - first) % stride == 0) return 1;
    if (address != last + stride) return 0;
  } else {
    if (address < last) return 0; // accesses with descending addresses are logged one by one
    MPIPP_WRITE(entry[STRIDE], address - last);
  }
  MPIPP_WRITE(entry[COUNT], count + 1);
  return 1;
}

// Returns whether a strided access repeats the run, or its blocks are adjacent to the run's, as
// with columns of a matrix.
static PLAIN int widens(uint64_t *entry, uint64_t first, uint64_t bytes, uint64_t stride,
                        uint64_t count) {
  uint64_t low = entry[FIRST], high = low + entry[BYTES];
  if (stride != entry[STRIDE] || count != entry[COUNT] || first < low) return 0;
  if (first + bytes <= high) return 1;
  if (first != high || high - low + bytes > stride) return 0;
  MPIPP_WRITE(entry[BYTES], high - low + bytes);
  return 1;
}

static PLAIN uint64_t key_of(uint64_t next, int stores) {
  return (next - first_place) * 4 + (uint64_t)stores;
}

static PLAIN struct mpipp_accesses_run *run_of(uint64_t key) {
  return &runs[key * MPIPP_HASH >> 58];
}

// Stops recording when the log is full: otherwise each further access would try to add an entry.
static PLAIN int is_full(void) {
  return MPIPP_READ(mpipp_registry.onesided_lost) > 0;
}

PLAIN int mpipp_rma_log_strided_fast(uint64_t first, uint64_t bytes, uint64_t stride,
                                     uint64_t count, int stores, uint64_t next) {
  uint64_t key = key_of(next, stores), times = count;
  const struct mpipp_accesses_run *run = run_of(key);
  if (!run->entry || run->key != key || run->calls != MPIPP_READ(mpipp_rma_log_calls))
    return is_full();
  if (stride <= bytes) { // the accesses are contiguous
    bytes += stride * (count - 1);
    count = 1;
  }
  if (count == 1 ? !continues(run->entry, first, bytes)
                 : !widens(run->entry, first, bytes, stride, count))
    return is_full();
  MPIPP_WRITE(run->entry[TIMES], run->entry[TIMES] + times);
  return 1;
}

void mpipp_rma_log_strided_accesses(uint64_t first, uint64_t bytes, uint64_t stride, uint64_t count,
                                    int stores, uint64_t next) {
  if (mpipp_rma_log_strided_fast(first, bytes, stride, count, stores, next)) return;
  if (!first_place) first_place = next;
  if (mpipp_rma_log_is_adding) return;
  mpipp_rma_log_is_adding = 1;
  uint64_t key = key_of(next, stores), calls = MPIPP_READ(mpipp_rma_log_calls);
  uint64_t *at = mpipp_rma_log_begin_at(MPIPP_LOGGED_ACCESS, 0, next, WORDS);
  if (at) {
    int in_a_row = stride <= bytes;
    at[STORES] = (uint64_t)stores;
    at[FIRST] = first;
    at[BYTES] = in_a_row ? bytes + stride * (count - 1) : bytes;
    at[STRIDE] = stride;
    at[COUNT] = in_a_row ? 1 : count;
    at[TIMES] = count;
    mpipp_rma_log_end();
  }
  *run_of(key) = (struct mpipp_accesses_run){key, at, calls};
  mpipp_rma_log_is_adding = 0;
}

void mpipp_rma_log_access(uint64_t address, uint64_t bytes, int stores, uint64_t next) {
  mpipp_rma_log_strided_accesses(address, bytes, 0, 1, stores, next);
}
