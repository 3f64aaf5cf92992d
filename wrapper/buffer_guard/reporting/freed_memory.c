// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "buffer_guard/reporting/freed_memory.h"

#include <errno.h>
#include <execinfo.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "buffer_guard/operations/address_lookup.h"
#include "buffer_guard/reporting/accesses.h"
#include "buffer_guard/reporting/stop.h"
#include "recorder/requests/shared_handles.h"
#include "recorder/threads/threads.h"
#include "registry/buffer_accesses.h"

enum { FRAMES = 32, KNOWN = 256 };

int mpipp_guards_buffers;
void (*mpipp_guard_free_listener)(uint64_t start, uint64_t bytes);

static uint64_t known[KNOWN][2]; // pairs of places that were already queried: the caller of free,
                                 // and the operation

static struct mpipp_request *pending_request(const struct mpipp_guarded_operation *guarded) {
  struct mpipp_request *request = mpipp_guard_pending_request(guarded->request, guarded->serial);
  return request && !(request->special & MPIPP_DOUBTED) ? request : NULL;
}

static int was_queried(uint64_t caller, uint64_t of_operation) {
  uint64_t *place = known[(caller ^ of_operation) % KNOWN];
  if (place[0] == caller && place[1] == of_operation) return 1;
  place[0] = caller;
  place[1] = of_operation;
  return 0;
}

// Stores the place of the call of free, and its callers.
static uint64_t walk(uint64_t caller, uint64_t *places) {
  void *stack[FRAMES];
  int depth = backtrace(stack, FRAMES), first = 0;
  while (first < depth && (uint64_t)(uintptr_t)stack[first] != caller) first++;
  uint64_t count = 1;
  places[0] = caller - 1; // an address inside the call instruction
  for (int i = first + 1; i < depth && count <= MPIPP_TOUCH_CALLERS; i++)
    places[count++] = (uint64_t)(uintptr_t)stack[i];
  return count;
}

static void report(const struct mpipp_guarded_operation *guarded, uint64_t start, uint64_t bytes,
                   uint64_t caller) {
  uint64_t places[MPIPP_TOUCH_CALLERS + 1], count = walk(caller, places);
  struct mpipp_thread *thread = mpipp_recorder_self;
  if (thread == &mpipp_recorder_no_thread) thread = mpipp_recorder_next_thread(NULL, NULL);
  int stops = 0;
  mpipp_registry_lock();
  struct mpipp_request *request = pending_request(guarded);
  if (request && thread && !was_queried(caller, request->call.caller)) {
    struct mpipp_asking asking;
    mpipp_guard_query_begin(&asking, thread);
    if (asking.question) asking.question->tid = (uint64_t)syscall(SYS_gettid);
    mpipp_watcher_ask_pending(&asking, request);
    mpipp_watcher_ask_freed_memory(&asking, start, bytes, places, count);
    mpipp_guard_query_end(&asking, &stops);
  }
  mpipp_registry_unlock();
  mpipp_guard_stop_if(stops);
}

void mpipp_guard_report_free(uint64_t start, uint64_t bytes, uint64_t caller) {
  if (!mpipp_guard_free_listener && !mpipp_guarded_may_overlap(start, start + bytes)) return;
  const struct mpipp_thread *thread = mpipp_recorder_self;
  if (thread != &mpipp_recorder_no_thread && mpipp_frees_own(thread, &caller)) return;
  int saved = errno;
  if (mpipp_guard_free_listener) mpipp_guard_free_listener(start, bytes);
  const struct mpipp_guarded_operation *guarded = mpipp_guard_find_freed(start, start + bytes);
  if (guarded) report(guarded, start, bytes, caller);
  errno = saved;
}
