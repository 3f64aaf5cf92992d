// SPDX-License-Identifier: MIT
#include <stddef.h>
#include <string.h>

#include "abi/vendor.h"
#include "generated/procedures.h"
#include "recorder/ledger/datatype_interning.h"
#include "recorder/objects/windows.h"
#include "recorder/threads/threads.h"
#include "registry/object_store.h"
#include "rma_log/atomic_values.h"
#include "rma_log/call_arguments.h"
#include "rma_log/comm_members.h"
#include "rma_log/entry_builder.h"
#include "rma_log/freed_memory.h"
#include "rma_log/log.h"
#include "rma_log/repeat_cache.h"
#include "rma_log/shared_segments.h"

static uint64_t serial_of(uint64_t win) {
  const struct mpipp_object *found = mpipp_find(MPIPP_WIN, win);
  return found ? found->serial : 0;
}

// The orders that a value of the key accumulate_ordering keeps, as bits. Returns 0 if it has an
// invalid word.
static uint64_t orders(const char *value) {
  static const struct {
    char word[4];
    uint64_t bit;
  } words[] = {{"rar", MPIPP_LOG_RAR},
               {"raw", MPIPP_LOG_RAW},
               {"war", MPIPP_LOG_WAR},
               {"waw", MPIPP_LOG_WAW}};
  uint64_t found = MPIPP_LOG_HAS_ORDERING;
  if (!strcmp(value, "none")) return found;
  while (*value) {
    size_t length = strcspn(value, ", "), i = 0;
    while (i < 4 && (length != 3 || memcmp(value, words[i].word, 3) != 0)) i++;
    if (length && i == 4) return 0;
    if (length) found |= words[i].bit;
    value += length;
    value += strspn(value, ", ");
  }
  return found;
}

// The hints in the info that this thread's call passes for a window (MPI-4.1, section 12.2.1), as
// bits.
static uint64_t hints(uint64_t win) {
  uint64_t bits = 0;
  const struct mpipp_info *info = mpipp_registry_lock_live(MPIPP_INFO, mpipp_recorder_win_hints);
  const char *key = info ? (const char *)(uintptr_t)info->entries : NULL;
  for (int64_t i = 0; key && i < info->key_count; i++) {
    const char *value = key + strlen(key) + 1;
    if (!strcmp(key, "accumulate_ordering")) bits |= orders(value);
    if (!strcmp(key, "accumulate_ops") && !strcmp(value, "same_op"))
      bits |= MPIPP_LOG_HAS_OPS | MPIPP_LOG_SAME_OP;
    if (!strcmp(key, "accumulate_ops") && !strcmp(value, "same_op_no_op"))
      bits |= MPIPP_LOG_HAS_OPS;
    if (!strcmp(key, "no_locks") && !strcmp(value, "true"))
      bits |= MPIPP_LOG_HAS_LOCKS | MPIPP_LOG_NO_LOCKS;
    if (!strcmp(key, "no_locks") && !strcmp(value, "false")) bits |= MPIPP_LOG_HAS_LOCKS;
    key = value + strlen(value) + 1;
  }
  mpipp_registry_unlock();
  struct mpipp_win *of = bits & MPIPP_LOG_HAS_LOCKS ? mpipp_find(MPIPP_WIN, win) : NULL;
  if (of) MPIPP_WRITE(of->no_locks, (bits & MPIPP_LOG_NO_LOCKS) != 0);
  return bits;
}

void mpipp_rma_log_hints(const struct mpipp_call *call) {
  uint64_t bits = hints(call->win);
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_INFO, call, 2);
  if (!at) return;
  at[0] = serial_of(call->win);
  at[1] = bits;
  mpipp_rma_log_end();
}

// Logs the other processes' parts, which this process can access at addresses of its own.
static void log_segments(const struct mpipp_call *call, const struct mpipp_win *win, int count) {
  for (int rank = 0; rank < count; rank++) {
    struct mpipp_segment segment = mpipp_rma_segment_of(win, rank);
    if (rank == win->rank || !segment.bytes) continue;
    uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_SEGMENT, call, 4);
    if (!at) return;
    at[0] = win->object.serial;
    at[1] = (uint64_t)rank;
    at[2] = segment.low;
    at[3] = segment.bytes;
    mpipp_rma_log_end();
  }
}

void mpipp_rma_log_window(const struct mpipp_call *call, const struct mpipp_win *win) {
  struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, win->comm);
  if (comm) mpipp_rma_log_comm(call, comm);
  uint64_t bits = hints(win->object.handle);
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_WINDOW, call, 11);
  if (!at) return;
  at[0] = win->object.serial;
  at[1] = win->identity;
  at[2] = win->base;
  at[3] = (uint64_t)win->size;
  at[4] = (uint64_t)win->disp_unit;
  at[5] = win->flavor;
  at[6] = mpipp_rma_log_as_separate ? MPIPP_WIN_SEPARATE : win->model;
  at[7] = (uint64_t)(int64_t)win->rank;
  at[8] = win->comm_identity;
  at[9] = bits;
  at[10] = mpipp_log_frame(call);
  if (win->flavor == MPIPP_WIN_CREATE)
    mpipp_rma_add_memory(win->object.serial, win->base, (uint64_t)win->size);
  mpipp_rma_log_end();
  log_segments(call, win, mpipp_rma_segment_count(win));
}

void mpipp_rma_log_shared_query(const struct mpipp_call *call) {
  struct mpipp_win *win = mpipp_find(MPIPP_WIN, call->win);
  if (win) log_segments(call, win, mpipp_rma_query_segment_count(call, win, MPIPP_SEGMENTS_LOGGED));
}

void mpipp_rma_log_win_free(const struct mpipp_call *call, const struct mpipp_win *win) {
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_FREED, call, 2);
  if (!at) return;
  at[0] = win->object.serial;
  at[1] = mpipp_log_frame(call);
  mpipp_rma_log_forget(win->object.serial);
  mpipp_rma_complete_operations(win->object.serial, -1, ~(uint64_t)0);
  mpipp_rma_drop_memory(win->object.serial, 0);
  mpipp_rma_log_end();
}

static uint64_t assertion(int64_t given) {
  uint64_t bits = 0;
  if (given & MPI_MODE_NOCHECK) bits |= MPIPP_LOG_NO_CHECK;
  if (given & MPI_MODE_NOSTORE) bits |= MPIPP_LOG_NO_STORE;
  if (given & MPI_MODE_NOPUT) bits |= MPIPP_LOG_NO_PUT;
  if (given & MPI_MODE_NOPRECEDE) bits |= MPIPP_LOG_NO_PRECEDE;
  if (given & MPI_MODE_NOSUCCEED) bits |= MPIPP_LOG_NO_SUCCEED;
  return bits;
}

// The index of a rank among the recorded locks of this process; -1 if there is none.
static int lock_of(const struct mpipp_win *win, int64_t rank) {
  for (uint32_t i = 0; i < win->known_locks && i < MPIPP_MAX_LOCKS; i++)
    if (win->lock_ranks[i] == rank) return (int)i;
  return -1;
}

// The lock mode that this process holds for that rank, or requests.
static uint64_t is_exclusive(const struct mpipp_win *win, int64_t rank, int has_begun) {
  int i = has_begun ? lock_of(win, rank) : -1;
  return i >= 0 ? win->lock_exclusive[i] != 0 : win->locking != 0;
}

static uint64_t detail_of(const struct mpipp_call *call, const struct mpipp_win *win,
                          int has_begun) {
  switch (call->procedure) {
  case MPIPP_PROC_Win_fence:
    return assertion(mpipp_log_number(call, 0, 0));
  case MPIPP_PROC_Win_lock:
    return assertion(mpipp_recorder_win_assertion) |
           (is_exclusive(win, call->target_rank, has_begun) ? MPIPP_LOG_EXCLUSIVE : 0);
  case MPIPP_PROC_Win_start:
  case MPIPP_PROC_Win_post:
  case MPIPP_PROC_Win_lock_all:
    return assertion(mpipp_recorder_win_assertion);
  default:
    return 0;
  }
}

// Returns whether a call seems not to fit the open epochs. This is only a quick test; the analysis
// decides.
static int seems_wrong(const struct mpipp_call *call, const struct mpipp_win *win) {
  const uint64_t locked = MPIPP_EPOCH_LOCK | MPIPP_EPOCH_LOCK_ALL;
  uint64_t open = MPIPP_READ(win->epochs);
  switch (call->procedure) {
  case MPIPP_PROC_Win_fence:
    return (open & (MPIPP_EPOCH_START | MPIPP_EPOCH_POST | locked)) != 0;
  case MPIPP_PROC_Win_free:
    return open != 0; // the analysis knows whether the fence's epoch was used
  case MPIPP_PROC_Win_start:
    return (open & ~(uint64_t)MPIPP_EPOCH_POST) != 0;
  case MPIPP_PROC_Win_post:
    return (open & (MPIPP_EPOCH_POST | MPIPP_EPOCH_LOCK_ALL)) != 0 || lock_of(win, win->rank) >= 0;
  case MPIPP_PROC_Win_complete:
    return !(open & MPIPP_EPOCH_START);
  case MPIPP_PROC_Win_wait:
  case MPIPP_PROC_Win_test:
    return !(open & MPIPP_EPOCH_POST);
  case MPIPP_PROC_Win_lock_all:
    return open != 0 || MPIPP_READ(win->no_locks);
  case MPIPP_PROC_Win_lock:
    return MPIPP_READ(win->no_locks) ||
           (open & ~(uint64_t)(MPIPP_EPOCH_POST | MPIPP_EPOCH_LOCK)) != 0 ||
           (open & MPIPP_EPOCH_POST && call->target_rank == win->rank) ||
           lock_of(win, call->target_rank) >= 0;
  case MPIPP_PROC_Win_unlock:
    return lock_of(win, call->target_rank) < 0;
  case MPIPP_PROC_Win_unlock_all:
    return !(open & MPIPP_EPOCH_LOCK_ALL);
  case MPIPP_PROC_Win_flush:
  case MPIPP_PROC_Win_flush_local:
    return !(open & MPIPP_EPOCH_LOCK_ALL) && lock_of(win, call->target_rank) < 0;
  case MPIPP_PROC_Win_flush_all:
  case MPIPP_PROC_Win_flush_local_all:
  case MPIPP_PROC_Win_sync:
    return !(open & locked);
  default:
    return 0;
  }
}

// Returns whether operations of this process are complete after the call, so that their results
// have arrived.
static int completes_operations(uint32_t procedure) {
  switch (procedure) {
  case MPIPP_PROC_Win_fence:
  case MPIPP_PROC_Win_complete:
  case MPIPP_PROC_Win_unlock:
  case MPIPP_PROC_Win_unlock_all:
  case MPIPP_PROC_Win_flush:
  case MPIPP_PROC_Win_flush_all:
  case MPIPP_PROC_Win_flush_local:
  case MPIPP_PROC_Win_flush_local_all:
    return 1;
  default:
    return 0;
  }
}

// Returns whether the call names MPI_PROC_NULL as target: then it orders nothing.
static int is_proc_null(const struct mpipp_call *call) {
  return call->present & MPIPP_HAS_TARGET_RANK && call->target_rank == MPI_PROC_NULL;
}

void mpipp_rma_log_attempt(const struct mpipp_call *call, uint64_t handle) {
  const struct mpipp_win *win = mpipp_find_live(MPIPP_WIN, handle);
  if (!win || is_proc_null(call) || !seems_wrong(call, win)) return;
  uint64_t detail = detail_of(call, win, 0);
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_SYNCHRONIZATION, call, 4);
  if (!at) return;
  at[0] = win->object.serial;
  at[1] = mpipp_log_target(call);
  at[2] = detail | MPIPP_LOG_ATTEMPT;
  at[3] = mpipp_log_frame(call);
  mpipp_rma_log_end();
}

// Logs the values that completed operations have returned. Call it while the entry is added.
static void log_results(const struct mpipp_call *call, const struct mpipp_win *win,
                        uint64_t before) {
  if (!completes_operations(call->procedure)) return;
  int64_t target = call->present & MPIPP_HAS_TARGET_RANK ? call->target_rank : -1;
  mpipp_rma_log_returned_values(call, win->object.serial, target, before);
  mpipp_rma_complete_operations(win->object.serial, target, before);
}

void mpipp_rma_log_synchronization(const struct mpipp_call *call, uint64_t before) {
  const struct mpipp_win *win = mpipp_find(MPIPP_WIN, call->win);
  if (!win || is_proc_null(call)) return;
  uint64_t detail = detail_of(call, win, 1);
  const struct mpipp_group *group = NULL;
  if (call->procedure == MPIPP_PROC_Win_start || call->procedure == MPIPP_PROC_Win_post) {
    group = mpipp_find_live(MPIPP_GROUP, (uint64_t)mpipp_log_number(call, 0, 0));
    if (!group || (group->size > 0 && !mpipp_rma_log_group_words(group)))
      return mpipp_rma_log_unknown(call);
  }
  if (!detail && !group && mpipp_rma_log_repeat_synchronization(call, win)) {
    log_results(call, win, before);
    return mpipp_rma_log_end();
  }
  uint64_t members = group ? mpipp_rma_log_group_words(group) : 0;
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_SYNCHRONIZATION, call, 4 + members);
  if (!at) return;
  at[0] = win->object.serial;
  at[1] = mpipp_log_target(call);
  at[2] = detail;
  at[3] = mpipp_log_frame(call);
  if (group) mpipp_rma_log_group(at + 4, group);
  struct mpipp_like like = mpipp_rma_log_find_like(MPIPP_LOG_MOST_CHANGED);
  log_results(call, win, before);
  mpipp_rma_log_end();
  if (!detail && !group) mpipp_rma_remember_synchronization(call, win, like);
}

void mpipp_rma_log_memory(const struct mpipp_call *call) {
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_MEMORY, call, 4);
  if (!at) return;
  at[0] = serial_of(call->win);
  at[1] = mpipp_recorder_win_memory;
  at[2] = mpipp_recorder_win_bytes;
  at[3] = mpipp_log_frame(call);
  if (call->procedure == MPIPP_PROC_Win_attach)
    mpipp_rma_add_memory(at[0], at[1], at[2]);
  else
    mpipp_rma_drop_memory(at[0], at[1]);
  mpipp_rma_log_end();
}

// The number that stands for the buffer's datatype, which is kept; 0 if there is none.
static uint64_t datatype_of(const struct mpipp_buffer *buffer) {
  uint64_t record = buffer->record;
  if (!record) record = (uintptr_t)mpipp_find(MPIPP_DATATYPE, buffer->datatype);
  uint64_t alike = mpipp_equal_datatype(record);
  if (alike || !record) return alike;
  mpipp_registry_lock();
  alike = mpipp_recorder_equal_datatype_locked(record, buffer->datatype);
  mpipp_registry_unlock();
  return alike;
}

void mpipp_rma_log_operation(const struct mpipp_call *call, uint64_t request) {
  uint64_t records[MPIPP_MAX_BUFFERS];
  if (call->target_rank == MPI_PROC_NULL) return;
  uint64_t values = mpipp_rma_log_has_values(call);
  if (!values && !request && mpipp_rma_log_repeat_operation(call)) return mpipp_rma_log_end();
  for (uint32_t i = 0; i < call->buffer_count; i++) records[i] = datatype_of(&call->buffers[i]);
  uint64_t words = MPIPP_LOG_BUFFERS + MPIPP_LOG_EACH * (uint64_t)call->buffer_count;
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_OPERATION, call,
                                     words + (values ? (uint64_t)MPIPP_LOG_VALUES : 0));
  if (!at) return;
  at[0] = serial_of(call->win);
  at[1] = (uint64_t)call->target_rank;
  at[2] = call->present & MPIPP_HAS_OP ? call->op : 0;
  at[3] = request;
  at[4] = mpipp_log_frame(call);
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    uint64_t *buffer = at + MPIPP_LOG_BUFFERS + (size_t)MPIPP_LOG_EACH * i;
    buffer[0] = call->buffers[i].address;
    buffer[1] = (uint64_t)call->buffers[i].count;
    buffer[2] = records[i];
  }
  if (values) mpipp_rma_log_passed_values(at + words, call, values, at[0], request);
  int may_end = mpipp_rma_begin_operation(call, records, at[0], request);
  struct mpipp_like like = mpipp_rma_log_find_like(mpipp_log_displacement(call));
  mpipp_rma_log_end();
  if (!values && !request && !may_end) mpipp_rma_remember_operation(call, like);
}
