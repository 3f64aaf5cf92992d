// SPDX-License-Identifier: MIT
#include "rma_log/atomic_values.h"

#include <errno.h>
#include <string.h>

#include "abi/vendor.h"
#include "generated/procedures.h"
#include "recorder/threads/threads.h"
#include "registry/object_store.h"
#include "rma_log/log.h"
#include "watcher_client/queries.h"

// MOST_LOGGED: the largest number of logged values. Programs synchronize by flags, which have few
// values; a variable with more values is a busy counter.
enum { MOST_PENDING = 64, MOST_LOGGED = 1 << 14, MOST_SEEN = 64 };

struct mpipp_expected_value {
  // Win: handle; number: of the entry; there: the displacement at the target.
  uint64_t number, win, request, address, bytes, there;
  int64_t target;
};

// This data is accessed only while an entry is added, which holds the log's lock.
static struct mpipp_expected_value expected[MOST_PENDING];
static int count, logged;
// The last value that was read at an address.
static struct mpipp_seen_value {
  uint64_t win, there, value;
  int64_t target;
} seen[MOST_SEEN];

static int is_atomic(uint32_t procedure) {
  switch (procedure) {
  case MPIPP_PROC_Accumulate:
  case MPIPP_PROC_Accumulate_c:
  case MPIPP_PROC_Raccumulate:
  case MPIPP_PROC_Raccumulate_c:
  case MPIPP_PROC_Get_accumulate:
  case MPIPP_PROC_Get_accumulate_c:
  case MPIPP_PROC_Rget_accumulate:
  case MPIPP_PROC_Rget_accumulate_c:
  case MPIPP_PROC_Fetch_and_op:
  case MPIPP_PROC_Compare_and_swap:
    return 1;
  default:
    return 0;
  }
}

// The size of the target element in bytes. Returns 0 if there is none, more than one, or a large
// one.
static uint64_t bytes_of(const struct mpipp_call *call) {
  const struct mpipp_buffer *target = &call->buffers[call->buffer_count - 1];
  const struct mpipp_datatype *type = mpipp_find(MPIPP_DATATYPE, target->datatype);
  if (!type || type->combiner != MPIPP_COMBINER_NAMED || target->count != 1) return 0;
  int64_t size = type->size;
  return size == 1 || size == 2 || size == 4 || size == 8 ? (uint64_t)size : 0;
}

uint64_t mpipp_rma_log_has_values(const struct mpipp_call *call) {
  if (!is_atomic(call->procedure) || MPIPP_READ(logged) >= MOST_LOGGED) return 0;
  uint64_t bytes = bytes_of(call);
  if (!bytes || __atomic_fetch_add(&logged, 1, __ATOMIC_RELAXED) >= MOST_LOGGED) return 0;
  return bytes;
}

// Returns whether the bytes are in stack frames of the thread's callers, so that they are certainly
// mapped.
static int is_on_stack(uint64_t address, uint64_t bytes) {
  const struct mpipp_thread *thread = mpipp_recorder_self;
  uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  return here >= thread->stack_start && address >= here && address <= thread->stack_end - bytes &&
         here < thread->stack_end;
}

static int read_bytes(unsigned char *raw, uint64_t address, uint64_t bytes) {
  if (is_on_stack(address, bytes)) {
    memcpy(raw, (const void *)(uintptr_t)address, bytes);
    return 1;
  }
  int saved = errno, done = mpipp_watcher_read_own(raw, address, bytes);
  errno = saved;
  return done;
}

// Reads the value as a number, in the processor's byte order.
static int read_value(uint64_t *value, uint64_t address, uint64_t bytes) {
  unsigned char raw[8] = {0};
  uint16_t two;
  uint32_t four;
  if (!read_bytes(raw, address, bytes)) return 0;
  memcpy(&two, raw, sizeof two);
  memcpy(&four, raw, sizeof four);
  memcpy(value, raw, sizeof *value);
  if (bytes < 8) *value = bytes == 4 ? four : bytes == 2 ? two : raw[0];
  return 1;
}

void mpipp_rma_log_passed_values(uint64_t *words, const struct mpipp_call *call, uint64_t bytes,
                                 uint64_t win, uint64_t request) {
  const struct mpipp_buffer *buffers = call->buffers, *result = NULL;
  uint32_t last = call->buffer_count - 1;
  int swaps = call->procedure == MPIPP_PROC_Compare_and_swap;
  int has_op = (call->present & MPIPP_HAS_OP) != 0;
  words[0] = bytes;
  words[1] = words[2] = 0;
  if (last > 1 && buffers[last - 1].datatype == buffers[last].datatype) result = &buffers[last - 1];
  if (!(has_op && call->op == MPIPP_KEY(MPI_NO_OP)) && buffers[0].count == 1 &&
      buffers[0].datatype == buffers[last].datatype &&
      read_value(&words[1], buffers[0].address, bytes) &&
      (!swaps || read_value(&words[2], buffers[1].address, bytes)))
    words[0] |= MPIPP_LOG_GIVEN;
  if (!result || result->count != 1) return;
  if (count == MOST_PENDING) return;
  expected[count] = (struct mpipp_expected_value){
      mpipp_rma_log_count(), win, request, result->address, bytes, buffers[last].address,
      call->target_rank};
  MPIPP_WRITE(count, count + 1);
  words[0] |= MPIPP_LOG_FOLLOWS;
}

// Polling loops read the same value many times, so an unchanged value does not count against the
// limit.
static void give_back(const struct mpipp_expected_value *one, uint64_t value) {
  uint64_t key = one->win ^ one->there ^ (uint64_t)one->target << 16;
  struct mpipp_seen_value now = {one->win, one->there, value, one->target};
  struct mpipp_seen_value *last = &seen[key * MPIPP_HASH >> 58];
  if (memcmp(last, &now, sizeof now) == 0) __atomic_fetch_sub(&logged, 1, __ATOMIC_RELAXED);
  *last = now;
}

static void log_value(const struct mpipp_call *call, const struct mpipp_expected_value *one) {
  uint64_t value = 0, known = (uint64_t)read_value(&value, one->address, one->bytes);
  if (known) give_back(one, value);
  uint64_t *at = mpipp_rma_log_next(MPIPP_LOGGED_VALUE, call, 3);
  if (!at) return;
  at[0] = one->number;
  at[1] = value;
  at[2] = known;
}

// Logs the values of the operations that match `like`, in the order in which they were begun, and
// removes them.
static void take(const struct mpipp_call *call, const struct mpipp_expected_value *like,
                 uint64_t before) {
  int left = 0;
  for (int i = 0; i < count; i++) {
    const struct mpipp_expected_value *one = &expected[i];
    int is_it = like->request ? one->request == like->request
                              : one->win == like->win && one->number < before &&
                                    (like->target < 0 || one->target == like->target);
    if (!is_it)
      expected[left++] = *one;
    else if (call)
      log_value(call, one);
  }
  MPIPP_WRITE(count, left);
}

void mpipp_rma_log_returned_values(const struct mpipp_call *call, uint64_t win, int64_t target,
                                   uint64_t before) {
  take(call, &(struct mpipp_expected_value){.win = win, .target = target}, before);
}

void mpipp_rma_log_value_of_request(const struct mpipp_call *call, uint64_t request) {
  if (!MPIPP_READ(count)) return;
  mpipp_rma_log_hold();
  take(call, &(struct mpipp_expected_value){.request = request}, 0);
  mpipp_rma_log_end();
}

void mpipp_rma_log_forget(uint64_t win) {
  take(NULL, &(struct mpipp_expected_value){.win = win, .target = -1}, ~(uint64_t)0);
}
