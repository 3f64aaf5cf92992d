// SPDX-License-Identifier: MIT
#include "buffer_guard/operations/rma_requests.h"

#include <string.h>

#include "generated/procedures.h"
#include "recorder/requests/requests.h"
#include "recorder/threads/threads.h"
#include "registry/shared_arena.h"

enum { MOST = 1024 }; // a power of two

static struct mpipp_request *records[MOST]; // created when they are needed, with the store's lock
static uint64_t count;

int mpipp_guard_is_access(const struct mpipp_call *call) {
  const uint32_t has = MPIPP_HAS_WIN | MPIPP_HAS_TARGET_RANK;
  return (call->present & has) == has && call->buffer_count > 0;
}

static struct mpipp_request *free_record(uint64_t serial) {
  struct mpipp_request **place = &records[serial % MOST];
  if (!*place && (*place = mpipp_registry_allocate(sizeof **place)))
    memset(*place, 0, sizeof **place);
  return *place && !(*place)->object.serial ? *place : NULL;
}

uint64_t mpipp_guard_access_open(const struct mpipp_call *call) {
  uint64_t serial = 0, place = mpipp_call_place(mpipp_recorder_self);
  mpipp_registry_lock();
  for (int i = 0; i < MOST && !serial; i++) {
    uint64_t next = MPIPP_ACCESS | ++count;
    struct mpipp_request *record = free_record(next);
    if (!record) continue;
    serial = next;
    record->object.kind = MPIPP_REQUEST;
    record->object.handle = call->win;
    record->object.caller = place;
    mpipp_request_fill(record, call, 0, 0, serial);
    record->tid = (uint32_t)mpipp_recorder_self->tid;
  }
  mpipp_registry_unlock();
  return serial;
}

struct mpipp_request *mpipp_guard_access_record(uint64_t serial) {
  struct mpipp_request *record = serial & MPIPP_ACCESS ? records[serial % MOST] : NULL;
  return record && record->object.serial == serial ? record : NULL;
}

void mpipp_guard_access_close(uint64_t serial) {
  if (!(serial & MPIPP_ACCESS)) return;
  mpipp_registry_lock();
  struct mpipp_request *record = mpipp_guard_access_record(serial);
  if (record) {
    mpipp_recorder_drop_call(record);
    record->object.serial = 0;
  }
  mpipp_registry_unlock();
}

int mpipp_guard_completes_accesses(const struct mpipp_call *call, uint64_t win, int64_t target) {
  if (!(call->present & MPIPP_HAS_WIN) || call->win != win) return 0;
  switch (call->procedure) {
  case MPIPP_PROC_Win_fence:
  case MPIPP_PROC_Win_complete:
  case MPIPP_PROC_Win_unlock_all:
  case MPIPP_PROC_Win_flush_all:
  case MPIPP_PROC_Win_flush_local_all:
    return 1;
  case MPIPP_PROC_Win_unlock:
  case MPIPP_PROC_Win_flush:
  case MPIPP_PROC_Win_flush_local:
    return call->target_rank == target;
  default:
    return 0;
  }
}
