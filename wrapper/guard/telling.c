// SPDX-License-Identifier: MIT
#include "guard/telling.h"

#include <stddef.h>

#include "mpi/resolve.h"
#include "recorders/chains.h"
#include "recorders/threads.h"
#include "watch/questions.h"

enum { KNOWN = 1024, DEEP = 4 };

static uint64_t known[KNOWN]; // sums of what was asked about

// The same instruction and callers, about operations of one place.
static uint64_t sum_of(const struct mpipp_touch *touch, const struct mpipp_call *call) {
  uint64_t sum = touch->stores + 1;
  for (uint64_t i = 0; i <= DEEP; i++) {
    uint64_t word = i == DEEP ? call->caller : i < touch->count ? touch->places[i] : 0;
    sum = (sum ^ word) * 0xBF58476D1CE4E5B9u;
    sum ^= sum >> 29;
  }
  return sum;
}

// With the lock. Whether the operation goes on still: a program that has left a call by a jump may
// take it for complete.
static struct mpipp_request *pending(uint64_t handle, uint64_t serial) {
  struct mpipp_request *request = mpipp_listed_locked(MPIPP_REQUEST, handle);
  while (request && request->object.serial != serial)
    request = (struct mpipp_request *)(uintptr_t)request->newer;
  return request && request->state == MPIPP_REQUEST_ACTIVE ? request : NULL;
}

// Whether MPI had the data when the program called it next. Another thread may be completing it.
static enum mpipp_moved ask_moved(uint64_t handle) {
  if (MPIPP_READ(mpipp_several_threads)) return MPIPP_MOVED_UNKNOWN;
  int flag = 0;
  MPI_Request request = (MPI_Request)(uintptr_t)handle;
  if (PMPI(Request_get_status)(request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return MPIPP_MOVED_UNKNOWN;
  return flag ? MPIPP_MOVED : MPIPP_NOT_MOVED;
}

void mpipp_tell_touch(const struct mpipp_touch *touch) {
  struct mpipp_asking asking;
  mpipp_lock();
  struct mpipp_request *request = pending(touch->request, touch->serial);
  uint64_t sum = request ? sum_of(touch, &request->call) : 0;
  mpipp_unlock();
  if (!request || known[sum % KNOWN] == sum) return;
  enum mpipp_moved moved = ask_moved(touch->request);
  mpipp_lock();
  request = pending(touch->request, touch->serial);
  if (request) {
    mpipp_ask_begin(&asking, mpipp_self);
    if (asking.question) asking.question->awaits = MPIPP_AWAITS_TOUCH;
    mpipp_ask_pending(&asking, request);
    mpipp_ask_touch(&asking,
                    (struct mpipp_touched){touch->address, touch->stores, touch->tid, moved},
                    touch->places, touch->count);
    if (mpipp_ask_end(&asking)) known[sum % KNOWN] = sum;
  }
  mpipp_unlock();
}
