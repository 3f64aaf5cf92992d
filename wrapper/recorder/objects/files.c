// SPDX-License-Identifier: MIT
#include "recorder/objects/files.h"

#include <stdlib.h>

#include "recorder/matching/channels.h"
#include "registry/object_store.h"

void mpipp_recorder_add_file(const struct mpipp_call *call, MPI_File file, uint64_t comm,
                             const char *filename, int amode) {
  struct mpipp_file *record = mpipp_registry_claim(MPIPP_FILE, MPIPP_KEY(file), call->caller);
  if (!record) return;
  record->comm = comm;
  record->amode = amode;
  record->filename = mpipp_registry_copy_text(filename);
  // The default view, until the program sets another (MPI-4.1, section 14.2.1).
  record->disp = 0;
  record->etype = record->filetype = MPIPP_KEY(MPI_BYTE);
  record->datarep = mpipp_registry_copy_text("native");
  record->channel = mpipp_recorder_open_object_channel(call, MPIPP_FILE_CALLS);
  mpipp_registry_publish(record);
}

void mpipp_recorder_file_view(uint64_t file, int64_t disp, uint64_t etype, uint64_t filetype,
                              const char *datarep) {
  uint64_t text = mpipp_registry_copy_text(datarep);
  struct mpipp_file *record = mpipp_registry_lock_live(MPIPP_FILE, file);
  if (record) {
    record->disp = disp;
    record->etype = etype;
    record->filetype = filetype;
    text = mpipp_replace(&record->datarep, text);
  }
  mpipp_registry_unlock();
  mpipp_registry_free((void *)(uintptr_t)text);
}

static uint64_t splits_begun = 0;

void mpipp_recorder_begin_split(const struct mpipp_call *call) {
  struct mpipp_file *record = mpipp_registry_lock_live(MPIPP_FILE, call->file);
  if (record) {
    record->call = *call;
    MPIPP_WRITE(record->split_number, ++splits_begun);
    MPIPP_WRITE(record->split_doubted, 0);
    __atomic_store_n(&record->split_pending, 1, __ATOMIC_RELEASE);
  }
  mpipp_registry_unlock();
}

void mpipp_recorder_end_split(const struct mpipp_call *call) {
  struct mpipp_file *record = mpipp_registry_lock_live(MPIPP_FILE, call->file);
  if (record) {
    // From now on, readers see that this call ends the operation.
    MPIPP_WRITE(record->split_ended, call->serial);
    MPIPP_WRITE(record->split_doubted, 0);
    __atomic_store_n(&record->split_pending, 0, __ATOMIC_RELEASE);
  }
  mpipp_registry_unlock();
}

void mpipp_recorder_fail_split(const struct mpipp_call *call) {
  if (call->present & MPIPP_HAS_DROPPED) return;
  struct mpipp_file *record = mpipp_registry_lock_live(MPIPP_FILE, call->file);
  if (record) {
    MPIPP_WRITE(record->split_doubted, 1);
    __atomic_store_n(&record->split_pending, 0, __ATOMIC_RELEASE);
  }
  mpipp_registry_unlock();
}
