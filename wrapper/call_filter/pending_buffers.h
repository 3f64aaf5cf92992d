// SPDX-License-Identifier: MIT
// The boxes (address ranges [low, high)) of pending operations' buffers, found by address. A
// completed operation's box is removed only when a search finds it, so that a completion costs
// nothing. The caller holds the requests' lock (mpipp_lock_kind), unless one thread alone calls
// MPI.
#ifndef MPIPP_CALL_FILTER_PENDING_BUFFERS_H
#define MPIPP_CALL_FILTER_PENDING_BUFFERS_H

#include <stddef.h>

#include "abi/compilers.h"
#include "registry/object_store.h"

struct mpipp_box {
  uint64_t low, high; // both 0: no memory
  uint32_t writes;
  uint32_t buffer; // index of the buffer in the call
};

// The owner of a box: a request, a call inside which a thread is, or a pending split collective
// call on a file.
struct mpipp_owner {
  uint64_t record; // address of the owner's record, with MPIPP_OF_THREAD or MPIPP_OF_FILE added if
                   // it is a thread or a file
  uint64_t serial; // the request's serial, the call's serial, or the file's split_number
};
enum { MPIPP_OF_THREAD = 1, MPIPP_OF_FILE = 2, MPIPP_OF_CALL = MPIPP_OF_THREAD | MPIPP_OF_FILE };

// The request that owns a box; NULL if the owner is a thread or a file.
static inline const struct mpipp_request *mpipp_owner_request(struct mpipp_owner owner) {
  return owner.record & MPIPP_OF_CALL ? NULL : (const void *)(uintptr_t)owner.record;
}
static inline const struct mpipp_thread *mpipp_owner_thread(struct mpipp_owner owner) {
  return (const void *)(uintptr_t)(owner.record - MPIPP_OF_THREAD);
}
static inline const struct mpipp_file *mpipp_owner_file(struct mpipp_owner owner) {
  return (const void *)(uintptr_t)(owner.record - MPIPP_OF_FILE);
}

// 1 if boxes are kept. At first there are few requests, and each is visited. Boxes are kept after
// there have been many, or when an operation without a request is pending.
extern int mpipp_filter_keeps_boxes MPIPP_HIDDEN;
enum { MPIPP_FEW_REQUESTS = 16 };

// The number of requests if there are only a few; else ~0.
MPIPP_INLINE uint64_t mpipp_few_requests(const struct mpipp_request **requests) {
  const struct mpipp_chunk *chunk =
      (const void *)(uintptr_t)mpipp_registry_stores[MPIPP_REQUEST].table->chunks;
  if (MPIPP_UNLIKELY(mpipp_filter_keeps_boxes)) return ~(uint64_t)0;
  if (MPIPP_UNLIKELY(!chunk)) return 0;
  *requests = (const void *)(chunk + 1);
  return MPIPP_LIKELY(chunk->used <= MPIPP_FEW_REQUESTS) ? chunk->used : ~(uint64_t)0;
}

// Returns whether an active operation may use memory of the call's [low, high).
static inline int mpipp_comes_near(const struct mpipp_request *request,
                                   const struct mpipp_call *call) {
  return request->state == MPIPP_REQUEST_ACTIVE && request->call.low < call->high &&
         call->low < request->call.high;
}

MPIPP_INLINE int mpipp_meets_no_request(const struct mpipp_call *call) {
  const struct mpipp_request *request = NULL;
  uint64_t count = mpipp_few_requests(&request);
  if (MPIPP_UNLIKELY(count > MPIPP_FEW_REQUESTS)) return 0;
  for (; count; count--, request++) {
    if (MPIPP_UNLIKELY(mpipp_comes_near(request, call))) return 0;
  }
  return 1;
}

// The boxes that were added last; each is visited. Most programs have few pending boxes at a time.
// Boxes of longer operations move to the hash table.
enum { MPIPP_RECENT_BOXES = 16, MPIPP_NO_BOX = ~0u };
struct mpipp_recent {
  uint32_t count;
  uint32_t older; // not 0: the hash table has boxes, too
  struct {
    struct mpipp_box box;
    struct mpipp_owner owner;
  } all[MPIPP_RECENT_BOXES];
};
extern struct mpipp_recent mpipp_filter_recent MPIPP_HIDDEN;

// A number for each pass over the requests of a call. The number is stored in each request's record
// (`given`), so that a duplicate request is recognized. Passes over plain calls have other numbers
// (filter.h).
uint32_t mpipp_filter_next_pass(void);
// During a call that starts several operations: the number of its pass, while these operations are
// compared with pending ones and with each other. Otherwise 0.
extern uint32_t mpipp_filter_starting_pass MPIPP_HIDDEN;
static inline int mpipp_is_starting(const struct mpipp_request *request) {
  return MPIPP_UNLIKELY(mpipp_filter_starting_pass) &&
         request->object.given == mpipp_filter_starting_pass &&
         request->state == MPIPP_REQUEST_INACTIVE;
}

int mpipp_filter_is_call_active(struct mpipp_owner owner) MPIPP_COLD;
static inline int mpipp_is_owner_active(struct mpipp_owner owner) {
  if (MPIPP_UNLIKELY(owner.record & MPIPP_OF_CALL)) return mpipp_filter_is_call_active(owner);
  const struct mpipp_request *request = (const void *)(uintptr_t)owner.record;
  return request->object.serial == owner.serial &&
         (MPIPP_LIKELY(request->state == MPIPP_REQUEST_ACTIVE) || mpipp_is_starting(request)) &&
         !(request->object.flags & MPIPP_FLAG_ENDED);
}

static inline int mpipp_boxes_overlap(const struct mpipp_box *one, const struct mpipp_box *other) {
  return one->low < other->high && other->low < one->high && (one->writes | other->writes);
}

// Returns whether mpipp_filter_pending_meet would certainly report nothing. *over: a recent box
// that this one may replace, from the previous iteration of a loop; else MPIPP_NO_BOX.
static inline int mpipp_has_no_overlap(const struct mpipp_box *box, uint32_t *over) {
  *over = MPIPP_NO_BOX;
  if (MPIPP_UNLIKELY(mpipp_filter_recent.older)) return 0;
  for (uint32_t i = 0; i < mpipp_filter_recent.count; i++) {
    const struct mpipp_box *other = &mpipp_filter_recent.all[i].box;
    if (other->low >= box->high || box->low >= other->high) continue;
    if (!mpipp_is_owner_active(mpipp_filter_recent.all[i].owner))
      *over = i;
    else if (other->writes | box->writes)
      return 0;
  }
  return 1;
}

// Adds a box. The new box replaces the box `over` of a completed operation, unless that is
// MPIPP_NO_BOX.
void mpipp_filter_pending_add_slow(const struct mpipp_box *box,
                                   struct mpipp_owner owner) MPIPP_COLD;
static inline void mpipp_pending_add(const struct mpipp_box *box, struct mpipp_owner owner,
                                     uint32_t over) {
  uint32_t number = over < mpipp_filter_recent.count ? over : mpipp_filter_recent.count++;
  if (MPIPP_UNLIKELY(number >= MPIPP_RECENT_BOXES)) {
    mpipp_filter_pending_add_slow(box, owner);
    return;
  }
  mpipp_filter_recent.all[number].box = *box;
  mpipp_filter_recent.all[number].owner = owner;
}

// Reports each box of an active operation that overlaps this one, if one of the two is written.
// Skips boxes of the owner `own`, and boxes whose blocks certainly do not overlap those of
// `buffer`. Returns 0 if there are too many to report.
typedef void mpipp_meet(void *asking, const struct mpipp_box *met, struct mpipp_owner owner);
int mpipp_filter_pending_meet(const struct mpipp_box *box, const struct mpipp_buffer *buffer,
                              struct mpipp_owner own, mpipp_meet *meet, void *asking);

// The call that an owner has made.
const struct mpipp_call *mpipp_filter_call_of(struct mpipp_owner owner);

#endif
