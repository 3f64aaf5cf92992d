// SPDX-License-Identifier: MIT
#include "guard/changed.h"

#include <stddef.h>

#include "guard/faults.h"
#include "guard/telling.h"
#include "recorders/threads.h"

enum { KNOWN = 1024 };

static uint64_t known[KNOWN]; // sums of what was asked about

// With the store's lock.
static void ask(const struct mpipp_request *request, const struct mpipp_change *change) {
  struct mpipp_asking asking;
  uint64_t sum = (request->call.caller * 31 + mpipp_self->call.caller) * 0xBF58476D1CE4E5B9u;
  sum ^= change->kind ^ sum >> 29;
  if (known[sum % KNOWN] == sum) return;
  mpipp_ask_begin(&asking, mpipp_self);
  if (asking.question) {
    // Its further arguments lie in the program's memory.
    asking.question->call.present &= ~(uint32_t)(MPIPP_HAS_ARGUMENTS | MPIPP_HAS_CONSTRUCTOR);
    asking.question->call.input_count = 0;
    asking.question->awaits = MPIPP_AWAITS_TOUCH;
  }
  mpipp_ask_pending(&asking, request);
  mpipp_ask_change(&asking, change);
  if (mpipp_ask_end(&asking)) known[sum % KNOWN] = sum;
}

void mpipp_tell_change(const struct mpipp_request *request, const struct mpipp_change *change) {
  mpipp_lock();
  if (!mpipp_is_touched(request->object.serial))
    ask(request, change); // else it is told by its line
  mpipp_unlock();
}

void mpipp_tell_pending_change(uint64_t handle, uint64_t serial,
                               const struct mpipp_change *change) {
  mpipp_lock();
  const struct mpipp_request *request = mpipp_pending_request(handle, serial);
  if (request && (change->kind == MPIPP_CHANGE_GONE || !mpipp_is_touched(serial)))
    ask(request, change);
  mpipp_unlock();
}
