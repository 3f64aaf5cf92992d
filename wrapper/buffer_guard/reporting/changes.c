// SPDX-License-Identifier: MIT
#include "buffer_guard/reporting/changes.h"

#include <stddef.h>

#include "buffer_guard/faults/faults.h"
#include "buffer_guard/faults/stack_frames.h"
#include "buffer_guard/reporting/accesses.h"
#include "buffer_guard/reporting/stop.h"
#include "recorder/threads/threads.h"

enum { KNOWN = 1024 };

static uint64_t known[KNOWN]; // checksums of pairs of places that were already queried

// Returns whether the process is to stop. The caller holds the store's lock.
static int query(const struct mpipp_request *request, const struct mpipp_change *change,
                 struct mpipp_frame frame) {
  struct mpipp_asking asking;
  uint64_t sum =
      (request->call.caller * 31 + mpipp_recorder_self->call.caller) * 0xBF58476D1CE4E5B9u;
  sum ^= change->kind ^ sum >> 29;
  if (known[sum % KNOWN] == sum) return 0;
  int stops = 0;
  mpipp_guard_query_begin(&asking, mpipp_recorder_self);
  if (asking.question) {
    // The call's other arguments lie in the program's memory, and may be gone.
    asking.question->call.present &= ~(uint32_t)(MPIPP_HAS_ARGUMENTS | MPIPP_HAS_CONSTRUCTOR);
    asking.question->call.input_count = 0;
  }
  mpipp_watcher_ask_pending(&asking, request);
  mpipp_watcher_ask_change(&asking, change);
  mpipp_guard_query_frame(&asking, frame);
  if (mpipp_guard_query_end(&asking, &stops)) known[sum % KNOWN] = sum;
  return stops;
}

void mpipp_guard_report_change(const struct mpipp_request *request,
                               const struct mpipp_change *change) {
  struct mpipp_frame frame = mpipp_guard_frame_of(change->address);
  mpipp_registry_lock();
  // The access is already reported, with its line.
  int is_told = mpipp_guard_was_accessed(request->object.serial);
  int stops = !is_told && query(request, change, frame);
  mpipp_registry_unlock();
  mpipp_guard_stop_if(stops);
}

void mpipp_guard_report_pending_change(uint64_t handle, uint64_t serial,
                                       const struct mpipp_change *change) {
  struct mpipp_frame frame = mpipp_guard_frame_of(change->address);
  mpipp_registry_lock();
  const struct mpipp_request *request = mpipp_guard_pending_request(handle, serial);
  int is_told = change->kind != MPIPP_CHANGE_GONE && mpipp_guard_was_accessed(serial);
  int stops = request && !is_told && query(request, change, frame);
  mpipp_registry_unlock();
  mpipp_guard_stop_if(stops);
}
