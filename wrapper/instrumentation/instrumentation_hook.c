// SPDX-License-Identifier: MIT
// A hook that passes compiled programs the bytes that belong to a pending operation or a window,
// and records their accesses to these bytes.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

#include "abi/vendor.h"
#include "buffer_guard/budget/coverage.h"
#include "buffer_guard/faults/faults.h"
#include "buffer_guard/operations/failed_waits.h"
#include "buffer_guard/operations/rma_requests.h"
#include "buffer_guard/platform/lock.h"
#include "buffer_guard/reporting/accesses.h"
#include "generated/procedures.h"
#include "instrumentation/program_parts.h"
#include "instrumentation/rma_memory.h"
#include "instrumentation/shadow_memory.h"
#include "intercept/hooks.h"
#include "recorder/threads/threads.h"
#include "registry/object_store.h"
#include "registry/registry.h"
#include "rma_log/accesses.h"
#include "rma_log/shared_segments.h"

// The log is a part of its own, which is loaded only in runs with --check=rma.
#pragma weak mpipp_rma_log_access
#pragma weak mpipp_rma_log_strided_accesses
#pragma weak mpipp_rma_log_strided_fast

enum { ORDER = 1010, KNOWN = 4096 }; // enters after the guard's hook, whose order is 1000

// Guards: for --check=buffers; records: for --check=rma.
static int is_off = 0, guards = 0, records = 0;
// 1 while this thread holds the guard's lock. An access that it reports meanwhile comes from a
// signal handler.
static __thread volatile sig_atomic_t is_busy __attribute__((tls_model("initial-exec")));
static __thread uint64_t entered
    __attribute__((tls_model("initial-exec"))); // number of operations that had begun when the
                                                // thread's call was made

static int has_shadow(void) {
  static int is_there = 0; // 1: the shadow is mapped, -1: it cannot be
  if (!mpipp_instrument_programs_any) return 0;
  if (!is_there) is_there = mpipp_instrument_programs_map() ? 1 : -1;
  mpipp_registry.blind = is_there < 0;
  return is_there > 0;
}

// Returns whether it is the first access of its place, as far as a small table remembers. Loops
// repeat accesses many times.
static int is_first(uint64_t serial, uint64_t next) {
  static uint64_t known[KNOWN];
  uint64_t sum = (next + serial * 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
  return __atomic_exchange_n(&known[sum >> 52], sum, __ATOMIC_RELAXED) != sum;
}

// Records an access to a pending operation's buffer. If a signal handler makes the access while the
// thread holds the lock, it is not recorded: waiting for the lock would never end.
static void guard(uint64_t address, uint64_t bytes, int stores, uint64_t next) {
  struct mpipp_shadow_overlap met;
  if (mpipp_guard_locked) return;
  mpipp_guard_lock_outside_mpi();
  int is_met = bytes && mpipp_instrument_shadow_overlap(address, bytes, stores, &met);
  mpipp_guard_unlock();
  if (!is_met) return;
  mpipp_guard_faults_expect(address, bytes);
  if (!is_first(met.serial, next)) return;
  struct mpipp_touch found = {.serial = met.serial,
                              .request = met.request,
                              .address = met.address,
                              .stores = (uint32_t)stores,
                              .bytes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX,
                              .instruction = next - 1, // an address inside the instruction that
                                                       // calls the reporting code
                              .cover = met.cover,
                              .receives = (uint64_t)met.writes,
                              .sum = MPIPP_TOUCH_NO_SUM};
  mpipp_guard_faults_record(&found, next, met.buffer);
}

static void drop_surplus(void) {
  if (mpipp_guard_locked || !mpipp_guard_try_lock()) return;
  mpipp_instrument_rma_drop_surplus();
  mpipp_guard_unlock();
}

static void accesses(uint64_t address, uint64_t bytes, int stores, uint64_t next) {
  const struct mpipp_thread *thread = mpipp_recorder_self;
  if (thread != &mpipp_recorder_no_thread && thread->depth) return; // MPI's own access
  if (is_busy) return;
  int saved = errno;
  is_busy = 1;
  if (mpipp_instrument_rma_has_surplus()) drop_surplus();
  int recorded = records ? mpipp_instrument_is_recorded(address, address + bytes) : 0;
  if (recorded)
    mpipp_rma_log_access(address, bytes, stores | (recorded & MPIPP_ACCESS_LASTING), next);
  if (guards) guard(address, bytes, stores, next);
  is_busy = 0;
  errno = saved;
}

#define BYTES (bytes_and_stores >> 1)
#define STORES ((int)(bytes_and_stores & 1))
#define LOW (first < last ? first : last)
#define HIGH ((first < last ? last : first) + BYTES)

__attribute__((target("no-sse,no-mmx"))) static int quickly(MPIPP_COMB) {
  const struct mpipp_thread *thread = mpipp_recorder_self;
  if (is_busy || (thread != &mpipp_recorder_no_thread && thread->depth)) return 1;
  if (count == 1 && (guards || mpipp_instrument_rma_has_surplus())) return 0;
  int recorded = records ? mpipp_instrument_is_recorded(LOW, HIGH) : 0;
  if (!recorded) return 1;
  is_busy = 1;
  int done =
      mpipp_rma_log_strided_fast(LOW, BYTES, count > 1 ? (HIGH - BYTES - LOW) / (count - 1) : 0,
                                 count, STORES | (recorded & MPIPP_ACCESS_LASTING), next);
  is_busy = 0;
  return done;
}

static void combs(MPIPP_COMB) {
  const struct mpipp_thread *thread = mpipp_recorder_self;
  if (is_busy || (thread != &mpipp_recorder_no_thread && thread->depth)) return;
  int recorded = mpipp_instrument_is_recorded(LOW, HIGH);
  if (!recorded) return;
  int saved = errno;
  is_busy = 1;
  mpipp_rma_log_strided_accesses(LOW, BYTES, (HIGH - BYTES - LOW) / (count - 1), count,
                                 STORES | (recorded & MPIPP_ACCESS_LASTING), next);
  is_busy = 0;
  errno = saved;
}

static int enter(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  if (guards) mpipp_guard_faults_expect(0, 0);
  entered = MPIPP_READ(mpipp_instrument_shadow_begun_count);
  if (records && !MPIPP_READ(is_off) && mpipp_guard_is_access(call) && has_shadow()) {
    mpipp_guard_lock();
    mpipp_instrument_rma_before_call(call);
    mpipp_guard_unlock();
  }
  return MPIPP_GO_ON;
}

static void begin(struct mpipp_shadow_range *looked, const struct mpipp_request *request) {
  mpipp_instrument_shadow_begin(looked, mpipp_guard_cover_of(&request->call));
}

static void add_request(const struct mpipp_request *request) {
  if (!has_shadow()) return;
  struct mpipp_shadow_range *looked = mpipp_instrument_shadow_new(request);
  if (looked && request->state == MPIPP_REQUEST_ACTIVE) begin(looked, request);
  if (looked) mpipp_guard_faults_catch();
}

static void handle_request(const struct mpipp_event *event, const struct mpipp_request *request) {
  struct mpipp_shadow_range *looked = mpipp_instrument_shadow_of(request->object.serial);
  if (event->kind == MPIPP_EVENT_MADE) {
    add_request(request);
  } else if (looked && event->kind == MPIPP_EVENT_STARTED) {
    begin(looked, request);
  } else if (looked && event->kind == MPIPP_EVENT_COMPLETED && request->persistent) {
    mpipp_instrument_shadow_end(looked);
  } else if (looked) {
    mpipp_instrument_shadow_drop(looked);
  }
}

static void event(const struct mpipp_event *event) {
  const struct mpipp_object *object = event->object;
  int is_request = object->kind == MPIPP_REQUEST;
  if (MPIPP_READ(is_off) || (is_request && !MPIPP_READ(mpipp_instrument_programs_any))) return;
  mpipp_guard_lock();
  if (guards && is_request) handle_request(event, (const struct mpipp_request *)object);
  mpipp_guard_unlock();
  if (records && object->kind == MPIPP_WIN && has_shadow()) mpipp_instrument_rma_window(event);
  if (guards && is_request && event->kind == MPIPP_EVENT_COMPLETED)
    mpipp_guard_report_completed_accesses((const struct mpipp_request *)object);
}

static void end_failed_operations(const struct mpipp_passage *passage) {
  const MPI_Request *requests = (const MPI_Request *)(uintptr_t)passage->call->requests;
  for (int64_t i = 0; i < passage->call->request_count; i++)
    if (mpipp_guard_may_be_complete(passage, i))
      mpipp_instrument_shadow_end_persistent(MPIPP_KEY(requests[i]));
}

// MPI-4.0, section 12.5.4: a flush completes all outstanding operations at the origin, including
// those with a request.
static void leave(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  int ends = call->procedure == MPIPP_PROC_Finalize;
  int of_window = call->present & MPIPP_HAS_WIN,
      has_failed = guards && mpipp_guard_has_failed(passage);
  if (MPIPP_READ(is_off) || !MPIPP_READ(mpipp_instrument_programs_any)) return;
  if (!ends && !of_window && !has_failed) return;
  if (records && mpipp_asks_for_segments(call) && passage->code == MPI_SUCCESS && has_shadow())
    mpipp_instrument_rma_shared_query(call);
  mpipp_guard_lock();
  if (ends) {
    mpipp_instrument_rma_end_all();
    mpipp_instrument_shadow_end_all();
  } else if (has_failed) {
    end_failed_operations(passage);
  } else {
    if (records && passage->code == MPI_SUCCESS && has_shadow())
      mpipp_instrument_rma_after_call(call);
    if (guards && !call->buffer_count) mpipp_instrument_shadow_end_accesses(call, entered);
  }
  mpipp_guard_unlock();
}

static struct mpipp_hook hook = {.enter = enter, .leave = leave, .event = event, .order = ORDER};

// Adds the hook when the first compiled part of the program is loaded, which may be late. In
// programs without such parts, calls do not pass it.
static void add_hook(void) {
  mpipp_hook_in(&hook);
  if (records) MPIPP_WRITE(mpipp_registry.onesided_looks, 1);
}

// The child of a fork is not watched.
static void after_fork_in_child(void) {
  is_off = 1;
  mpipp_instrument_programs_call(NULL);
}

__attribute__((constructor)) static void begin_with_them(void) {
  if (!getenv("MPIPP_WATCH")) return;
  guards = getenv("MPIPP_GUARD") != NULL;
  records = getenv("MPIPP_RMA") != NULL && mpipp_rma_log_access != NULL;
  if (!guards && !records) return;
  mpipp_guard_faults_prepare();
  pthread_atfork(NULL, NULL, after_fork_in_child);
  mpipp_instrument_programs_call(
      &(struct mpipp_program){.accesses = accesses, .combs = combs, .quickly = quickly});
  mpipp_instrument_programs_await(add_hook);
}
