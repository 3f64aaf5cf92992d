// SPDX-License-Identifier: MIT
#include "buffer_guard/reporting/syscalls.h"

#include <errno.h>
#include <stddef.h>

#include "buffer_guard/faults/faults.h"
#include "buffer_guard/memory/locked_pages.h"
#include "buffer_guard/memory/pages.h"
#include "buffer_guard/memory/window_memory.h"
#include "buffer_guard/operations/address_lookup.h"
#include "buffer_guard/platform/lock.h"
#include "buffer_guard/reporting/freed_memory.h"
#include "layout/strided_blocks.h"
#include "recorder/threads/threads.h"

int (*mpipp_guard_system_opens)(uint64_t start, uint64_t bytes);
void (*mpipp_guard_system_logs)(uint64_t start, uint64_t bytes, int stores, uint64_t caller);

int mpipp_system_is_outside_mpi(void) {
  const struct mpipp_thread *thread = mpipp_recorder_self;
  return thread == &mpipp_recorder_no_thread || !thread->depth;
}

int mpipp_system_begin_use(uint64_t start, uint64_t bytes, int stores) {
  struct mpipp_meeting meeting;
  int saved = errno,
      is_met = mpipp_guard_find_overlap(start, start + bytes, stores, &meeting) != NULL;
  if (mpipp_guard_system_opens) is_met |= mpipp_guard_system_opens(start, bytes);
  errno = saved;
  return is_met;
}

void mpipp_system_note_use(uint64_t start, uint64_t bytes, int stores, uint64_t caller) {
  struct mpipp_meeting meeting;
  int saved = errno;
  const struct mpipp_guarded_operation *guarded =
      mpipp_guard_find_overlap(start, start + bytes, stores, &meeting);
  if (guarded) {
    const struct mpipp_touch found = {.serial = meeting.serial,
                                      .request = guarded->request,
                                      .address = meeting.address,
                                      .stores = (uint32_t)stores,
                                      .instruction = caller - 1, // an address inside the call
                                                                 // instruction
                                      .cover = (uintptr_t)guarded->cover,
                                      .receives = meeting.writes,
                                      .sum = MPIPP_TOUCH_NO_SUM};
    mpipp_guard_faults_record(&found, caller, meeting.buffer);
  }
  if (mpipp_guard_system_logs) mpipp_guard_system_logs(start, bytes, stores, caller);
  errno = saved;
}

// Makes the pages private to the program again, if they do not belong to MPI. The caller holds the
// lock.
static void unshare(uint64_t low, uint64_t high) {
  if (mpipp_guard_is_exposed(low, high) || mpipp_guard_aliases_overlap(low, high)) return;
  mpipp_guard_faults_catch();
  mpipp_guard_pages_unshare(low, high);
}

// The system would drop or change only one view of such pages: MPI and the program must keep the
// same ones.
void mpipp_system_note_advice(uint64_t start, uint64_t bytes) {
  uint64_t low = mpipp_page_down(start), high = mpipp_page_up(start + bytes);
  if (!mpipp_system_is_outside_mpi() || mpipp_guard_locked || !mpipp_guard_pages_overlap(low, high))
    return;
  int saved = errno;
  mpipp_guard_lock_outside_mpi();
  unshare(low, high);
  mpipp_guard_unlock();
  errno = saved;
}

void mpipp_system_note_mapping(uint64_t start, uint64_t bytes, uint64_t caller) {
  if (!mpipp_guard_locked) mpipp_guard_report_free(start, bytes, caller);
}

// Does not wait for the lock: the thread that holds it may be waiting for a lock that this thread
// holds.
void mpipp_system_note_release(uint64_t start, uint64_t bytes) {
  uint64_t low = mpipp_page_up(start), high = mpipp_page_down(start + bytes);
  if (low >= high || !mpipp_guard_pages_overlap(low, high) || !mpipp_guard_try_lock()) return;
  mpipp_guard_aliases_forget(low, high);
  mpipp_guard_unlock();
}

void mpipp_system_note_protection(uint64_t start, uint64_t bytes) {
  uint64_t low = mpipp_page_down(start), high = mpipp_page_up(start + bytes);
  if (!mpipp_system_is_outside_mpi() || mpipp_guard_locked || !mpipp_guard_pages_overlap(low, high))
    return;
  int saved = errno;
  mpipp_guard_lock_outside_mpi();
  if (mpipp_guard_pages_have_exchanged(low, high)) {
    mpipp_guard_note_protection(low, high);
    mpipp_guard_expose();
    unshare(low, high);
  }
  mpipp_guard_unlock();
  errno = saved;
}
