// SPDX-License-Identifier: MIT
// Where the buffers of pending operations lie: boxes [low, high), found by address. A box whose
// operation is over is found to be so when it is met, and taken out then: nothing is done where
// operations complete. All of these with the requests' lock (mpipp_lock_kind), or by one thread.
#ifndef MPIPP_CALL_FILTER_PENDING_BUFFERS_H
#define MPIPP_CALL_FILTER_PENDING_BUFFERS_H

#include <stddef.h>

#include "registry/object_store.h"

struct mpipp_box {
  uint64_t low, high; // [low, high); both 0: nothing
  uint32_t writes;
  uint32_t buffer; // of the call
};

// Whose box it is: of a request, of a call that a thread is inside of, or of a split collective
// call that is pending on a file.
struct mpipp_owner {
  uint64_t record; // address; of a thread's or file's record with MPIPP_OF_THREAD or _FILE
  uint64_t serial; // of the request, or of the call; of a split one its split_number
};
enum { MPIPP_OF_THREAD = 1, MPIPP_OF_FILE = 2, MPIPP_OF_CALL = MPIPP_OF_THREAD | MPIPP_OF_FILE };

// NULL: it is no request.
static inline const struct mpipp_request *mpipp_request_of(struct mpipp_owner owner) {
  return owner.record & MPIPP_OF_CALL ? NULL : (const void *)(uintptr_t)owner.record;
}
static inline const struct mpipp_thread *mpipp_inside(struct mpipp_owner owner) {
  return (const void *)(uintptr_t)(owner.record - MPIPP_OF_THREAD);
}
static inline const struct mpipp_file *mpipp_split_on(struct mpipp_owner owner) {
  return (const void *)(uintptr_t)(owner.record - MPIPP_OF_FILE);
}

// Requests are few at first: they are looked at one by one. Once there have been many, or another
// operation that is pending, boxes are kept.
extern int mpipp_filter_boxes_kept MPIPP_HIDDEN;
enum { MPIPP_FEW_REQUESTS = 16 };

// The requests, if they are few: their number; else ~0.
static inline __attribute__((always_inline)) uint64_t
mpipp_few_requests(const struct mpipp_request **requests) {
  const struct mpipp_chunk *chunk =
      (const void *)(uintptr_t)mpipp_registry_stores[MPIPP_REQUEST].table->chunks;
  if (MPIPP_UNLIKELY(mpipp_filter_boxes_kept)) return ~(uint64_t)0;
  if (MPIPP_UNLIKELY(!chunk)) return 0;
  *requests = (const void *)(chunk + 1);
  return MPIPP_LIKELY(chunk->used <= MPIPP_FEW_REQUESTS) ? chunk->used : ~(uint64_t)0;
}

// Whether an operation goes on that uses memory of [low, high) of the call, or may do so.
static inline int mpipp_comes_near(const struct mpipp_request *request,
                                   const struct mpipp_call *call) {
  return request->state == MPIPP_REQUEST_ACTIVE && request->call.low < call->high &&
         call->low < request->call.high;
}

static inline __attribute__((always_inline)) int
mpipp_meets_no_request(const struct mpipp_call *call) {
  const struct mpipp_request *request = NULL;
  uint64_t count = mpipp_few_requests(&request);
  if (MPIPP_UNLIKELY(count > MPIPP_FEW_REQUESTS)) return 0;
  for (; count; count--, request++) {
    if (MPIPP_UNLIKELY(mpipp_comes_near(request, call))) return 0;
  }
  return 1;
}

// The boxes added last, which are looked at one by one: most programs have few at a time. Only
// those that go on for longer are put where they are found by address.
enum { MPIPP_RECENT_BOXES = 16, MPIPP_NO_BOX = ~0u };
struct mpipp_recent {
  uint32_t count;
  uint32_t older; // not 0: there are others
  struct {
    struct mpipp_box box;
    struct mpipp_owner owner;
  } all[MPIPP_RECENT_BOXES];
};
extern struct mpipp_recent mpipp_filter_recent MPIPP_HIDDEN;

// Looks at the requests of a call have numbers, so that one that is given twice is met again
// (`given` of an object); plain ones have others (filter.h).
uint32_t mpipp_filter_next_look(void);
// The look at a call that starts several operations, while it is held against what is pending and
// against each other; else 0.
extern uint32_t mpipp_filter_starting_look MPIPP_HIDDEN;
static inline int mpipp_is_starting(const struct mpipp_request *request) {
  return MPIPP_UNLIKELY(mpipp_filter_starting_look) &&
         request->object.given == mpipp_filter_starting_look &&
         request->state == MPIPP_REQUEST_INACTIVE;
}

int mpipp_filter_call_goes_on(struct mpipp_owner owner) MPIPP_COLD;
static inline int mpipp_goes_on(struct mpipp_owner owner) {
  if (MPIPP_UNLIKELY(owner.record & MPIPP_OF_CALL)) return mpipp_filter_call_goes_on(owner);
  const struct mpipp_request *request = (const void *)(uintptr_t)owner.record;
  return request->object.serial == owner.serial &&
         (MPIPP_LIKELY(request->state == MPIPP_REQUEST_ACTIVE) || mpipp_is_starting(request)) &&
         !(request->object.flags & MPIPP_FLAG_ENDED);
}

static inline int mpipp_boxes_meet(const struct mpipp_box *one, const struct mpipp_box *other) {
  return one->low < other->high && other->low < one->high && (one->writes | other->writes);
}

// Whether it is certain that mpipp_filter_pending_meet tells of nothing. over: in a loop there is a
// box of the round before, whose place it can take; else MPIPP_NO_BOX.
static inline int mpipp_meets_nothing(const struct mpipp_box *box, uint32_t *over) {
  *over = MPIPP_NO_BOX;
  if (MPIPP_UNLIKELY(mpipp_filter_recent.older)) return 0;
  for (uint32_t i = 0; i < mpipp_filter_recent.count; i++) {
    const struct mpipp_box *other = &mpipp_filter_recent.all[i].box;
    if (other->low >= box->high || box->low >= other->high) continue;
    if (!mpipp_goes_on(mpipp_filter_recent.all[i].owner))
      *over = i;
    else if (other->writes | box->writes)
      return 0;
  }
  return 1;
}

// Adds it, in the place of one that is over, or NO_BOX.
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

// Tells of each box that shares an address with this one, of which one is written to, and whose
// operation goes on; not of those of that owner. Of boxes that meet, while the blocks of the buffer
// which that box is of are known not to, it need not tell. Returns 0 if they are too many to be
// told of all.
typedef void mpipp_meet(void *asking, const struct mpipp_box *met, struct mpipp_owner owner);
int mpipp_filter_pending_meet(const struct mpipp_box *box, const struct mpipp_buffer *buffer,
                              struct mpipp_owner own, mpipp_meet *meet, void *asking);

// The call of an operation.
const struct mpipp_call *mpipp_filter_call_of(struct mpipp_owner owner);

#endif
