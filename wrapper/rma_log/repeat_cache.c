// SPDX-License-Identifier: MIT
#include "rma_log/repeat_cache.h"

#include <stddef.h>

#include "call_filter/caches/rma_target_cache.h"
#include "recorder/ledger/ledger.h"
#include "registry/object_store.h"
#include "rma_log/call_arguments.h"

enum { CALLS_BITS = 3 };

struct mpipp_repeated_call {
  uint64_t number; // for an operation: number of its target (call_filter/caches/rma_target_cache.h)
  uint64_t place, frame;
  uint64_t win, rank, procedure; // for a synchronizing call; win: serial of the window
  struct mpipp_like like;
};
static __thread struct mpipp_repeated_call operations[MPIPP_TARGETS]
    __attribute__((tls_model("initial-exec")));
static __thread struct mpipp_repeated_call synchronizations[1 << CALLS_BITS]
    __attribute__((tls_model("initial-exec")));

static int is_current(const struct mpipp_repeated_call *one, const struct mpipp_call *call) {
  return one->like.words && one->place == mpipp_recorder_place(call) &&
         one->frame == mpipp_log_frame(call);
}

int mpipp_rma_log_repeat_operation(const struct mpipp_call *call) {
  uint64_t number;
  int target = mpipp_filter_target_of(call, &number);
  if (target < 0) return 0;
  const struct mpipp_repeated_call *one = &operations[target];
  if (one->number != number || !is_current(one, call)) return 0;
  uint64_t at = mpipp_log_displacement(call), now = call->buffers[call->buffer_count - 1].address;
  return mpipp_rma_log_repeat(&one->like, at,
                              (int64_t)(now - one->like.words[MPIPP_LOG_FIRST + at]));
}

void mpipp_rma_remember_operation(const struct mpipp_call *call, struct mpipp_like like) {
  uint64_t number;
  int target = mpipp_filter_target_of(call, &number);
  if (target < 0) return;
  operations[target] = (struct mpipp_repeated_call){.number = number,
                                                    .place = mpipp_recorder_place(call),
                                                    .frame = mpipp_log_frame(call),
                                                    .like = like};
}

static struct mpipp_repeated_call *entry_of(const struct mpipp_call *call) {
  uint64_t hash = (call->caller + mpipp_log_target(call)) * MPIPP_HASH;
  return &synchronizations[hash >> (64 - CALLS_BITS)];
}

int mpipp_rma_log_repeat_synchronization(const struct mpipp_call *call,
                                         const struct mpipp_win *win) {
  const struct mpipp_repeated_call *one = entry_of(call);
  if (one->win != win->object.serial || one->rank != mpipp_log_target(call)) return 0;
  if (one->procedure != call->procedure || !is_current(one, call)) return 0;
  return mpipp_rma_log_repeat(&one->like, MPIPP_LOG_MOST_CHANGED, 0);
}

void mpipp_rma_remember_synchronization(const struct mpipp_call *call, const struct mpipp_win *win,
                                        struct mpipp_like like) {
  *entry_of(call) = (struct mpipp_repeated_call){.place = mpipp_recorder_place(call),
                                                 .frame = mpipp_log_frame(call),
                                                 .win = win->object.serial,
                                                 .rank = mpipp_log_target(call),
                                                 .procedure = call->procedure,
                                                 .like = like};
}
