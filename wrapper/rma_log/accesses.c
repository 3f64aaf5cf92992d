// SPDX-License-Identifier: MIT
#include "rma_log/accesses.h"

#include <stddef.h>

#include "registry/object_store.h"
#include "registry/registry.h"
#include "rma_log/log.h"

enum { RUNS = 64 }; // a power of two
// Without any floating-point register, whose values belong to the caller.
#define PLAIN __attribute__((target("no-sse,no-mmx")))

// The words of an entry (registry/rma_log_entry.h).
enum { STORES, FIRST, BYTES, STRIDE, COUNT, TIMES, WORDS };

// Accesses of one place, COUNT of which are STRIDE apart; TIMES counts all, also repetitions. Their
// entry is in the log from the first access on, so that it is there at any end of the process. It
// grows until a call is added, by any thread.
struct mpipp_accesses_run {
  uint64_t key;    // of the place, and whether they are stores
  uint64_t *entry; // its words; NULL: there is none
  uint64_t calls;  // number of calls when it began
};

int mpipp_rma_logs_onesided = 0;
static __thread struct mpipp_accesses_run runs[RUNS] __attribute__((tls_model("initial-exec")));
// The first place, from which others are counted: the hashed values are equal in each run.
static __thread uint64_t first_place __attribute__((tls_model("initial-exec")));

// Returns whether these accesses are some of the run, or continue it. Readers of the entry may come
// at any time.
static PLAIN int continues(uint64_t *entry, uint64_t address, uint64_t bytes) {
  uint64_t first = entry[FIRST], stride = entry[STRIDE], count = entry[COUNT];
  uint64_t last = first + (count - 1) * stride;
  if (bytes != entry[BYTES]) return 0;
  if (address == last) return 1;
  if (count > 1) {
    if (address >= first && address < last && (address - first) % stride == 0) return 1;
    if (address != last + stride) return 0;
  } else {
    if (address < last) return 0; // downwards: one by one
    MPIPP_WRITE(entry[STRIDE], address - last);
  }
  MPIPP_WRITE(entry[COUNT], count + 1);
  return 1;
}

// Returns whether columns repeat those of the run, or are beside them.
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
  return (next - first_place) * 2 + (uint64_t)stores;
}

static PLAIN struct mpipp_accesses_run *run_of(uint64_t key) {
  return &runs[key * MPIPP_HASH >> 58];
}

// Stops recording: otherwise each further access would try again.
static PLAIN int is_full(void) {
  return MPIPP_READ(mpipp_registry.onesided_lost) > 0;
}

PLAIN int mpipp_rma_log_strided_fast(uint64_t first, uint64_t bytes, uint64_t stride,
                                     uint64_t count, int stores, uint64_t next) {
  uint64_t key = key_of(next, stores), times = count;
  const struct mpipp_accesses_run *run = run_of(key);
  if (!run->entry || run->key != key || run->calls != MPIPP_READ(mpipp_rma_log_calls))
    return is_full();
  if (stride <= bytes) { // in a row
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
