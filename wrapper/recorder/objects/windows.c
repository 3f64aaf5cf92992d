// SPDX-License-Identifier: MIT
// Windows and their epochs (MPI-4.1, section 12.5).
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "abi/mpi_symbols.h"
#include "recorder/matching/channels.h"
#include "recorder/matching/comm_identity.h"
#include "recorder/objects/window_aliases.h"
#include "recorder/objects/windows.h"
#include "registry/object_store.h"
#include "registry/registry.h"
#include "registry/shared_arena.h"
#include "watcher_client/queries.h"

__thread uint64_t mpipp_recorder_win_hints = 0;
__thread int mpipp_recorder_win_assertion = 0;
__thread uint64_t mpipp_recorder_win_memory = 0, mpipp_recorder_win_bytes = 0;

void mpipp_recorder_set_win_hints(uint64_t info) {
  mpipp_recorder_win_hints = info;
}

static void *attribute(MPI_Win win, int keyval) {
  void *value = NULL;
  int flag = 0;
  PMPI(Win_get_attr)(win, keyval, &value, &flag);
  return flag ? value : NULL;
}

static unsigned own_flavor(int flavor) {
  if (flavor == MPI_WIN_FLAVOR_ALLOCATE) return MPIPP_WIN_ALLOCATE;
  if (flavor == MPI_WIN_FLAVOR_DYNAMIC) return MPIPP_WIN_DYNAMIC;
  if (flavor == MPI_WIN_FLAVOR_SHARED) return MPIPP_WIN_SHARED;
  return MPIPP_WIN_CREATE;
}

// Allocates the table of the other processes' window sizes, if a watcher is there to fill it in.
static uint64_t reaches(const struct mpipp_win *win, int size) {
  if (!mpipp_registry_is_shared || !win->identity || win->flavor == MPIPP_WIN_DYNAMIC || size < 2)
    return 0;
  size_t bytes = sizeof(struct mpipp_reaches) + (size_t)size * sizeof(struct mpipp_reach);
  struct mpipp_reaches *made = mpipp_registry_allocate(bytes);
  if (!made) return 0;
  memset(made, 0, bytes);
  memcpy(made->magic, "MPIPPWIN", sizeof made->magic);
  made->count = (uint64_t)size;
  return (uintptr_t)made;
}

static int is_within(const struct mpipp_reached *held, const struct mpipp_reach *reach) {
  int64_t low, high;
  return !__builtin_mul_overflow(held->first, reach->disp_unit, &low) &&
         !__builtin_add_overflow(low, held->low, &low) &&
         !__builtin_mul_overflow(held->last, reach->disp_unit, &high) &&
         !__builtin_add_overflow(high, held->high, &high) && low >= 0 && high <= reach->size;
}

void mpipp_recorder_reach_settle(struct mpipp_reach *reach) {
  uint64_t state = __atomic_load_n(&reach->state, __ATOMIC_ACQUIRE);
  if (state == MPIPP_REACH_UNKNOWN) return;
  int within = 1;
  for (uint64_t i = 0; state == MPIPP_REACH_KNOWN && i < reach->used; i++)
    within &= is_within(&reach->kinds[i], reach);
  if (!within) mpipp_registry.unasked += reach->held;
  reach->held = reach->used = 0;
}

void mpipp_recorder_before_win_free(uint64_t handle) {
  const struct mpipp_win *win = mpipp_find_live(MPIPP_WIN, handle);
  struct mpipp_reaches *reaches = win ? (void *)(uintptr_t)win->reaches : NULL;
  for (uint64_t i = 0; reaches && i < reaches->count; i++) {
    struct mpipp_reach *reach = &reaches->all[i];
    if (!reach->held) continue;
    if (__atomic_load_n(&reach->state, __ATOMIC_ACQUIRE) == MPIPP_REACH_UNKNOWN) {
      mpipp_registry_lock();
      mpipp_watcher_ask_await();
      mpipp_registry_unlock();
    }
    mpipp_recorder_reach_settle(reach);
    mpipp_registry.unasked += reach->held;
    reach->held = reach->used = 0;
  }
}

void mpipp_recorder_add_win(const struct mpipp_call *call, MPI_Win win, MPI_Comm comm,
                            const void *memory) {
  int saved = errno;
  struct mpipp_win *record = mpipp_registry_claim(MPIPP_WIN, MPIPP_KEY(win), call->caller);
  if (!record) return;
  record->object.fint = MPIPP_FINT(Win, win);
  // MPICH 4.0 rounds the attribute MPI_WIN_BASE down, so the program's argument is used.
  record->base = (uintptr_t)memory;
  record->taken_base = (uintptr_t)mpipp_recorder_program_address(attribute(win, MPI_WIN_BASE));
  const MPI_Aint *size = attribute(win, MPI_WIN_SIZE);
  const int *unit = attribute(win, MPI_WIN_DISP_UNIT);
  const int *flavor = attribute(win, MPI_WIN_CREATE_FLAVOR);
  const int *model = attribute(win, MPI_WIN_MODEL);
  record->size = size ? *size : 0;
  record->disp_unit = unit ? *unit : 1;
  record->flavor = flavor ? own_flavor(*flavor) : MPIPP_WIN_CREATE;
  record->model = model && *model == MPI_WIN_SEPARATE ? MPIPP_WIN_SEPARATE : MPIPP_WIN_UNIFIED;
  record->comm = MPIPP_KEY(comm);
  record->identity = mpipp_recorder_window_identity(call, &record->comm_identity);
  if (record->identity)
    record->channel = mpipp_recorder_open_object_channel(call, MPIPP_WINDOW_CALLS);
  const struct mpipp_comm *of = mpipp_find_live(MPIPP_COMM, record->comm);
  record->rank = of ? of->rank : -1;
  record->reaches = reaches(record, of ? of->size : 0);
  mpipp_registry_publish(record);
  errno = saved;
}

enum { MOST_ATTACHED = 256 };
static struct { uint64_t low, high; } attached[MOST_ATTACHED]; // high: 0 for an unused entry
// Number of entries that were ever used.
static int attached_used;
static int more_attached; // 1 if some memory found no entry: then any memory may be attached

void mpipp_recorder_attach_memory(uint64_t base, int64_t size) {
  mpipp_recorder_win_memory = base;
  mpipp_recorder_win_bytes = (uint64_t)size;
  mpipp_registry_lock();
  int i = 0;
  while (i < MOST_ATTACHED && attached[i].high) i++;
  if (i == MOST_ATTACHED) {
    more_attached++;
    mpipp_note_hindrance(MPIPP_HINDERED_BY_WINDOWS);
  } else {
    attached[i].low = base;
    attached[i].high = base + (uint64_t)size;
    if (i == attached_used) MPIPP_WRITE(attached_used, i + 1);
  }
  mpipp_registry_unlock();
}

void mpipp_recorder_detach_memory(uint64_t base) {
  mpipp_recorder_win_memory = base;
  mpipp_recorder_win_bytes = 0;
  mpipp_registry_lock();
  int i = 0;
  while (i < MOST_ATTACHED && !(attached[i].high && attached[i].low == base)) i++;
  if (i < MOST_ATTACHED)
    attached[i].high = 0;
  else if (more_attached)
    more_attached--;
  mpipp_registry_unlock();
}

int mpipp_recorder_is_attached(uint64_t low, uint64_t high) {
  if (!MPIPP_READ(attached_used)) return 0;
  mpipp_registry_lock();
  int found = more_attached > 0;
  for (int i = 0; i < attached_used && !found; i++)
    found = low < attached[i].high && attached[i].low < high;
  mpipp_registry_unlock();
  return found;
}

// Adds and removes epochs of a window. The caller holds the lock, because threads may synchronize
// one window with several other processes at a time.
static void change_epochs(struct mpipp_win *record, uint64_t add, uint64_t remove) {
  if (!record) return;
  __atomic_store_n(&record->epochs, (record->epochs | add) & ~remove, __ATOMIC_RELEASE);
}

void mpipp_recorder_open_epoch(uint64_t win, unsigned epoch, uint64_t group) {
  struct mpipp_win *record = mpipp_registry_lock_live(MPIPP_WIN, win);
  if (record && epoch == MPIPP_EPOCH_POST) {
    record->exposure_group = group;
    record->exposure_serial = mpipp_registry_serial_of(MPIPP_GROUP, group);
  }
  change_epochs(record, epoch, MPIPP_EPOCH_FENCE);
  mpipp_registry_unlock();
}

// Records, before a call that may wait for other processes, facts that show what it waits for.
void mpipp_recorder_begin_synchronization(uint64_t win, enum mpipp_synchronization what,
                                          uint64_t detail) {
  struct mpipp_win *record = mpipp_registry_lock_live(MPIPP_WIN, win);
  if (record && what == MPIPP_FENCING) MPIPP_WRITE(record->fences, record->fences + 1);
  // With this assertion the fence does not end an epoch, and so need not wait.
  if (what == MPIPP_FENCING && detail & MPI_MODE_NOPRECEDE)
    change_epochs(record, 0, MPIPP_EPOCH_FENCE);
  if (record && what == MPIPP_COMPLETING) MPIPP_WRITE(record->completes, record->completes + 1);
  if (record && what == MPIPP_LOCKING) MPIPP_WRITE(record->locking, (uint32_t)detail);
  if (record && what == MPIPP_STARTING) {
    record->access_group = detail;
    record->access_serial = mpipp_registry_serial_of(MPIPP_GROUP, detail);
  }
  mpipp_registry_unlock();
}

// The synchronizing call has failed, and it is unknown whether it took part in the synchronization.
void mpipp_recorder_fail_synchronization(uint64_t win) {
  struct mpipp_win *record = mpipp_registry_lock_live(MPIPP_WIN, win);
  if (record) MPIPP_WRITE(record->identity, 0);
  mpipp_registry_unlock();
}

void mpipp_recorder_close_epoch(uint64_t win, unsigned epoch) {
  change_epochs(mpipp_registry_lock_live(MPIPP_WIN, win), 0, epoch);
  mpipp_registry_unlock();
}

// A fence opens an epoch, unless the program asserts that no operation follows.
void mpipp_recorder_fence(uint64_t win, int assertion) {
  int open = !(assertion & MPI_MODE_NOSUCCEED);
  struct mpipp_win *record = mpipp_registry_lock_live(MPIPP_WIN, win);
  change_epochs(record, open ? MPIPP_EPOCH_FENCE : 0, open ? 0 : MPIPP_EPOCH_FENCE);
  mpipp_registry_unlock();
}

static void add_lock(struct mpipp_win *record, int rank, int exclusive) {
  record->lock_count++;
  change_epochs(record, MPIPP_EPOCH_LOCK, MPIPP_EPOCH_FENCE);
  uint32_t known = record->known_locks;
  if (known == MPIPP_MAX_LOCKS) return;
  record->lock_ranks[known] = rank;
  record->lock_exclusive[known] = exclusive;
  MPIPP_WRITE(record->known_locks, known + 1);
}

static void remove_lock(struct mpipp_win *record, int rank) {
  if (--record->lock_count == 0) change_epochs(record, 0, MPIPP_EPOCH_LOCK);
  for (uint32_t i = 0; i < record->known_locks; i++) {
    if (record->lock_ranks[i] != rank) continue;
    uint32_t last = record->known_locks - 1;
    record->lock_ranks[i] = record->lock_ranks[last];
    record->lock_exclusive[i] = record->lock_exclusive[last];
    MPIPP_WRITE(record->known_locks, last);
    return;
  }
}

void mpipp_recorder_lock_window(uint64_t win, int rank, int exclusive) {
  struct mpipp_win *record = mpipp_registry_lock_live(MPIPP_WIN, win);
  if (record) add_lock(record, rank, exclusive);
  mpipp_registry_unlock();
}

void mpipp_recorder_unlock_window(uint64_t win, int rank) {
  struct mpipp_win *record = mpipp_registry_lock_live(MPIPP_WIN, win);
  if (record && record->lock_count) remove_lock(record, rank);
  mpipp_registry_unlock();
}
