// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "thread_order/sync_objects.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "recorder/threads/threads.h"
#include "rma_log/accesses.h"
#include "rma_log/log.h"

enum { TABLE_BITS = 12, TRIES = 8 };

// The synchronization objects of the program, such as mutexes, in a hash table by their addresses.
// If there is no free entry, several objects share one.
static struct mpipp_order_object table[1 << TABLE_BITS];
static uint32_t others = 1 << TABLE_BITS; // the next number for an object outside the table

static __thread struct mpipp_order_knowledge {
  uint64_t acquired; // grows with each acquire that changes `known`
  volatile sig_atomic_t is_busy;
  uint32_t known[MPIPP_ORDER_THREADS];
} self __attribute__((tls_model("initial-exec")));

int mpipp_order_is_active = 0;

void mpipp_order_lose(void) {
  if (__atomic_exchange_n(&mpipp_order_is_active, 0, __ATOMIC_RELAXED)) mpipp_rma_log_set_order(0);
}

static uint32_t own_number(void) {
  uint32_t *number = &mpipp_rma_log_thread.number;
  // Also number a thread whose creation mpipp has not seen: it may pass on the order of others.
  if (!*number) *number = mpipp_rma_log_new_thread();
  if (mpipp_rma_log_thread.number > MPIPP_ORDER_THREADS) mpipp_order_lose();
  return mpipp_rma_log_thread.number;
}

// A number that identifies the knowledge that a release by this thread would pass on.
static inline uint64_t version(void) {
  uint64_t changes = (uint64_t)mpipp_rma_log_thread.entries + self.acquired;
  return (uint64_t)mpipp_rma_log_thread.number << 48 | changes;
}

static inline int is_in_mpi(void) {
  const struct mpipp_thread *thread = mpipp_recorder_self;
  return thread != &mpipp_recorder_no_thread && thread->depth;
}

static uint64_t ignored_low, ignored_high; // code of a runtime

void mpipp_order_ignore(uint64_t low, uint64_t high) {
  MPIPP_WRITE(ignored_low, low);
  MPIPP_WRITE(ignored_high, high);
}

static inline int is_ignored(const void *place) {
  uint64_t at = (uint64_t)(uintptr_t)place;
  return is_in_mpi() || (at >= MPIPP_READ(ignored_low) && at < MPIPP_READ(ignored_high));
}

static struct mpipp_order_object *find(const void *address) {
  uint64_t key = (uint64_t)(uintptr_t)address, hash = key * MPIPP_HASH >> (64 - TABLE_BITS);
  for (uint64_t i = 0; i < TRIES; i++) {
    struct mpipp_order_object *one = &table[(hash + i) & ((1 << TABLE_BITS) - 1)];
    uint64_t there = __atomic_load_n(&one->address, __ATOMIC_ACQUIRE);
    if (there == key) return one;
    if (!there && __atomic_compare_exchange_n(&one->address, &there, key, 0, __ATOMIC_ACQ_REL,
                                              __ATOMIC_ACQUIRE))
      return one;
    if (there == key) return one;
  }
  return &table[hash];
}

// Locks a synchronization object to change it. Returns 0 if that is impossible, for example in a
// signal handler that has interrupted another change, or the writing of a log entry.
static int begin_change(struct mpipp_order_object *object) {
  if (!mpipp_rma_logs_onesided || own_number() > MPIPP_ORDER_THREADS) return 0;
  if (self.is_busy || mpipp_rma_log_is_adding) {
    mpipp_order_lose();
    return 0;
  }
  self.is_busy = 1;
  while (__atomic_exchange_n(&object->lock, 1, __ATOMIC_ACQUIRE)) sched_yield();
  return 1;
}

static void end_change(struct mpipp_order_object *object) {
  __atomic_store_n(&object->lock, 0, __ATOMIC_RELEASE);
  self.is_busy = 0;
}

// Merges the knowledge `from` into `to`. Returns whether `to` has changed.
static int merge(uint32_t *to, const uint32_t *from) {
  uint32_t news = 0, count = mpipp_rma_log_thread_count;
  if (count > MPIPP_ORDER_THREADS) count = MPIPP_ORDER_THREADS;
  for (uint32_t i = 0; i < count; i++) {
    news |= from[i] > to[i];
    to[i] = from[i] > to[i] ? from[i] : to[i];
  }
  return news != 0;
}

static uint32_t number_of(const struct mpipp_order_object *object) {
  int is_in_table = object >= table && object < table + (1 << TABLE_BITS);
  return is_in_table ? (uint32_t)(object - table) : object->number;
}

static void log_change(enum mpipp_logged kind, const struct mpipp_order_object *object,
                       const void *place, int rests) {
  int words = kind == MPIPP_LOGGED_RELEASED ? 2 : 1, saved = errno;
  mpipp_rma_log_is_adding = 1;
  uint64_t *at = mpipp_rma_log_begin_at(kind, 0, (uint64_t)(uintptr_t)place, (uint64_t)words);
  if (at) {
    at[0] = number_of(object);
    if (words == 2) at[1] = (uint64_t)rests;
    mpipp_rma_log_end();
  }
  mpipp_rma_log_is_adding = 0;
  errno = saved;
}

static MPIPP_COLD void release(struct mpipp_order_object *object, const void *place, int rests) {
  if (!begin_change(object)) return;
  self.known[mpipp_rma_log_thread.number - 1] = mpipp_rma_log_thread.entries;
  int is_news = merge(object->known, self.known);
  if (is_news) __atomic_store_n(&object->news, object->news + 1, __ATOMIC_RELEASE);
  if (is_news || (rests && mpipp_rma_log_thread.entries))
    log_change(MPIPP_LOGGED_RELEASED, object, place, rests);
  object->last = version();
  end_change(object);
}

static MPIPP_COLD void acquire(struct mpipp_order_object *object, const void *place) {
  if (!begin_change(object)) return;
  uint32_t *own = &self.known[mpipp_rma_log_thread.number - 1];
  *own = mpipp_rma_log_thread.entries;
  if (merge(self.known, object->known)) {
    self.acquired++;
    log_change(MPIPP_LOGGED_ACQUIRED, object, place, 0);
  }
  end_change(object);
}

int mpipp_order_is_in_mpi(void) {
  return is_in_mpi();
}

void mpipp_order_be_born(struct mpipp_order_object *object, uint32_t number) {
  static uint64_t births;
  mpipp_rma_log_thread.number = number ? number : mpipp_rma_log_new_thread();
  mpipp_rma_log_thread.is_born = 1;
  // A thread may reuse the number of an ended one, but its versions differ.
  self.acquired = __atomic_add_fetch(&births, 1, __ATOMIC_RELAXED) << 24;
  acquire(object, NULL);
  if (number && number <= MPIPP_ORDER_THREADS)
    mpipp_rma_log_thread.entries = self.known[number - 1];
}

void mpipp_order_object_init(struct mpipp_order_object *object) {
  memset(object, 0, sizeof *object);
  object->number = __atomic_fetch_add(&others, 1, __ATOMIC_RELAXED);
}

void mpipp_order_release(struct mpipp_order_object *object, const void *place) {
  if (is_in_mpi() || MPIPP_READ(object->last) == version()) return;
  release(object, place, 0);
}

void mpipp_order_acquire(struct mpipp_order_object *object, const void *place) {
  if (!is_in_mpi()) acquire(object, place);
}

void mpipp_order_repeat_release(struct mpipp_order_object *object, uint64_t *last,
                                const void *place) {
  if (is_in_mpi() || *last == version()) return;
  release(object, place, 0);
  *last = version();
}

void mpipp_order_repeat_acquire(struct mpipp_order_object *object, uint64_t *seen,
                                const void *place) {
  uint64_t now = MPIPP_READ(object->news) + 1;
  if (is_in_mpi() || *seen == now) return;
  acquire(object, place);
  *seen = now;
}

void mpipp_order_rest(struct mpipp_order_object *object) {
  if (!is_in_mpi()) release(object, NULL, 1);
}

void mpipp_order_repeat_rest(struct mpipp_order_object *object, uint64_t *last) {
  if (is_in_mpi() || *last == version()) return;
  release(object, NULL, 1);
  *last = version();
}

void mpipp_order_end_at(const void *address, uint32_t number) {
  struct mpipp_order_object *object = find(address);
  release(object, NULL, 1);
  MPIPP_WRITE(object->number, number);
}

uint32_t mpipp_order_join_at(const void *address, const void *place) {
  struct mpipp_order_object *object = find(address);
  if (is_in_mpi()) return 0;
  acquire(object, place);
  int is_own = object->address == (uint64_t)(uintptr_t)address;
  return is_own ? __atomic_exchange_n(&object->number, 0, __ATOMIC_RELAXED) : 0;
}

void mpipp_order_release_at(const void *address, const void *place) {
  if (!is_ignored(place)) mpipp_order_release(find(address), place);
}

void mpipp_order_acquire_at(const void *address, const void *place) {
  if (!is_ignored(place)) acquire(find(address), place);
}

void mpipp_order_acquire_exclusive(const void *address, const void *place) {
  if (is_ignored(place)) return;
  struct mpipp_order_object *object = find(address);
  // If this thread was the last to release the object, it already knows all that it would acquire.
  int is_own = object->address == (uint64_t)(uintptr_t)address;
  if (is_own && MPIPP_READ(object->last) >> 48 == mpipp_rma_log_thread.number) return;
  acquire(object, place);
}
