// SPDX-License-Identifier: MIT
// Windows and their epochs, MPI-4.1 section 12.5.
#include <errno.h>
#include <stddef.h>

#include "mpi/resolve.h"
#include "recorders/channels.h"
#include "recorders/objects.h"
#include "records/store.h"

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

void mpipp_win_made(const struct mpipp_call *call, MPI_Win win, MPI_Comm comm) {
  int saved = errno;
  struct mpipp_win *record = mpipp_claim(MPIPP_WIN, MPIPP_KEY(win), call->caller);
  if (!record) return;
  record->object.fint = MPIPP_FINT(Win, win);
  record->base = (uintptr_t)attribute(win, MPI_WIN_BASE);
  const MPI_Aint *size = attribute(win, MPI_WIN_SIZE);
  const int *unit = attribute(win, MPI_WIN_DISP_UNIT);
  const int *flavor = attribute(win, MPI_WIN_CREATE_FLAVOR);
  const int *model = attribute(win, MPI_WIN_MODEL);
  record->size = size ? *size : 0;
  record->disp_unit = unit ? *unit : 1;
  record->flavor = flavor ? own_flavor(*flavor) : MPIPP_WIN_CREATE;
  record->model = model && *model == MPI_WIN_SEPARATE ? MPIPP_WIN_SEPARATE : MPIPP_WIN_UNIFIED;
  record->comm = MPIPP_KEY(comm);
  record->identity = mpipp_window_identity(call, &record->comm_identity);
  mpipp_publish(record);
  errno = saved;
}

static void change_epochs(struct mpipp_win *record, uint64_t add, uint64_t remove) {
  __atomic_store_n(&record->epochs, (record->epochs | add) & ~remove, __ATOMIC_RELEASE);
}

void mpipp_epoch_opened(uint64_t win, unsigned epoch, uint64_t group) {
  struct mpipp_win *record = mpipp_find_live(MPIPP_WIN, win);
  if (!record) return;
  if (epoch == MPIPP_EPOCH_POST) {
    record->exposure_group = group;
    record->exposure_serial = mpipp_serial_of(MPIPP_GROUP, group);
  }
  change_epochs(record, epoch, MPIPP_EPOCH_FENCE);
}

// What others need to know of a call that may wait for them, before it does.
void mpipp_synchronizing(uint64_t win, enum mpipp_synchronization what, uint64_t detail) {
  struct mpipp_win *record = mpipp_find_live(MPIPP_WIN, win);
  if (!record) return;
  if (what == MPIPP_FENCING) MPIPP_WRITE(record->fences, record->fences + 1);
  if (what == MPIPP_COMPLETING) MPIPP_WRITE(record->completes, record->completes + 1);
  if (what == MPIPP_LOCKING) MPIPP_WRITE(record->locking, (uint32_t)detail);
  if (what == MPIPP_STARTING) {
    record->access_group = detail;
    record->access_serial = mpipp_serial_of(MPIPP_GROUP, detail);
  }
}

// The call failed: whether it took part in anything is not known.
void mpipp_not_synchronized(uint64_t win) {
  struct mpipp_win *record = mpipp_find_live(MPIPP_WIN, win);
  if (record) MPIPP_WRITE(record->identity, 0);
}

void mpipp_epoch_closed(uint64_t win, unsigned epoch) {
  struct mpipp_win *record = mpipp_find_live(MPIPP_WIN, win);
  if (record) change_epochs(record, 0, epoch);
}

// A fence opens an epoch unless the caller asserts that nothing follows.
void mpipp_fenced(uint64_t win, int assertion) {
  struct mpipp_win *record = mpipp_find_live(MPIPP_WIN, win);
  if (!record) return;
  int open = !(assertion & MPI_MODE_NOSUCCEED);
  change_epochs(record, open ? MPIPP_EPOCH_FENCE : 0, open ? 0 : MPIPP_EPOCH_FENCE);
}

void mpipp_locked(uint64_t win, int rank, int exclusive) {
  struct mpipp_win *record = mpipp_find_live(MPIPP_WIN, win);
  if (!record) return;
  if (record->lock_count < MPIPP_MAX_LOCKS) {
    record->lock_ranks[record->lock_count] = rank;
    record->lock_exclusive[record->lock_count] = exclusive;
  }
  record->lock_count++;
  change_epochs(record, MPIPP_EPOCH_LOCK, MPIPP_EPOCH_FENCE);
}

void mpipp_unlocked(uint64_t win, int rank) {
  struct mpipp_win *record = mpipp_find_live(MPIPP_WIN, win);
  if (!record || record->lock_count == 0) return;
  uint32_t known = record->lock_count < MPIPP_MAX_LOCKS ? record->lock_count : MPIPP_MAX_LOCKS;
  for (uint32_t i = 0; i < known; i++) {
    if (record->lock_ranks[i] != rank) continue;
    record->lock_ranks[i] = record->lock_ranks[known - 1];
    record->lock_exclusive[i] = record->lock_exclusive[known - 1];
    break;
  }
  if (--record->lock_count == 0) change_epochs(record, 0, MPIPP_EPOCH_LOCK);
}
