// SPDX-License-Identifier: MIT
#include "compiled/recorded.h"

#include <stddef.h>

#include "compiled/looked.h"
#include "generated/procedures.h"
#include "guard/shares.h"
#include "records/store.h"

enum { MOST = 256 };
enum kind { NONE, OF_WINDOW, ATTACHED, BUFFER };

static struct recorded {
  enum kind kind;
  uint64_t win; // handle
  int64_t target;
  uint64_t low, high;
  struct mpipp_looked *looked;
} all[MOST];
static int used; // those beyond have never been

__attribute__((target("no-sse,no-mmx"))) int mpipp_is_recorded(uint64_t low, uint64_t high) {
  int count = MPIPP_READ(used);
  for (int i = 0; i < count; i++)
    if (low < all[i].high && high > all[i].low) return 1;
  return 0;
}

static int has_all(uint64_t low, uint64_t high) {
  for (int i = 0; i < used; i++)
    if (low >= all[i].low && high <= all[i].high) return 1;
  return 0;
}

static void add(enum kind kind, uint64_t win, int64_t target, const struct mpipp_bytes *bytes) {
  int i = 0;
  while (i < MOST && all[i].kind) i++;
  struct mpipp_looked *looked = i < MOST ? mpipp_looked_at(bytes) : NULL;
  if (!looked) {
    struct mpipp_bytes given = *bytes;
    mpipp_bytes_give(&given);
    return;
  }
  all[i] = (struct recorded){kind, win, target, bytes->low, bytes->high, looked};
  if (i == used) MPIPP_WRITE(used, i + 1);
}

static void drop(struct recorded *one) {
  mpipp_looked_drop(one->looked);
  *one = (struct recorded){.kind = NONE};
}

static void add_range(enum kind kind, uint64_t win, uint64_t low, uint64_t length) {
  if (!low || !length || has_all(low, low + length)) return;
  struct mpipp_comb comb = {low, length, length, 1};
  struct mpipp_bytes bytes = mpipp_bytes_of_comb(&comb);
  add(kind, win, 0, &bytes);
}

void mpipp_recorded_window(const struct mpipp_event *event) {
  const struct mpipp_win *win = (const struct mpipp_win *)(const void *)event->object;
  uint64_t handle = win->object.handle;
  if (event->kind == MPIPP_EVENT_MADE && win->size > 0)
    add_range(OF_WINDOW, handle, win->base, (uint64_t)win->size);
  for (int i = 0; event->kind == MPIPP_EVENT_FREED && i < used; i++)
    if (all[i].kind && all[i].win == handle) drop(&all[i]);
}

void mpipp_recorded_before(const struct mpipp_call *call) {
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    struct mpipp_bytes bytes;
    if (!mpipp_is_used(call, i) || !mpipp_bytes_of_call(call, i, &bytes)) continue;
    if (has_all(bytes.low, bytes.high))
      mpipp_bytes_give(&bytes);
    else
      add(BUFFER, call->win, call->target_rank, &bytes);
  }
}

static void drop_buffers(uint64_t win, const int64_t *target) {
  for (int i = 0; i < used; i++)
    if (all[i].kind == BUFFER && all[i].win == win && (!target || all[i].target == *target))
      drop(&all[i]);
}

static uint64_t number_in(const struct mpipp_call *call, uint32_t i) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  return call->present & MPIPP_HAS_ARGUMENTS && i < call->input_count && inputs[i].values
             ? *(const uint64_t *)inputs[i].values
             : 0;
}

void mpipp_recorded_after(const struct mpipp_call *call) {
  switch (call->procedure) {
  case MPIPP_PROC_Win_attach:
    add_range(ATTACHED, call->win, number_in(call, 0), number_in(call, 1));
    return;
  case MPIPP_PROC_Win_detach:
    for (int i = 0; i < used; i++)
      if (all[i].kind == ATTACHED && all[i].win == call->win && all[i].low == number_in(call, 0))
        drop(&all[i]);
    return;
  case MPIPP_PROC_Win_unlock:
  case MPIPP_PROC_Win_flush:
  case MPIPP_PROC_Win_flush_local: {
    int64_t target = call->target_rank;
    drop_buffers(call->win, &target);
    return;
  }
  case MPIPP_PROC_Win_fence:
  case MPIPP_PROC_Win_complete:
  case MPIPP_PROC_Win_unlock_all:
  case MPIPP_PROC_Win_flush_all:
  case MPIPP_PROC_Win_flush_local_all:
    drop_buffers(call->win, NULL);
    return;
  default:
    return;
  }
}

void mpipp_recorded_end_all(void) {
  for (int i = 0; i < used; i++)
    if (all[i].kind) drop(&all[i]);
}
