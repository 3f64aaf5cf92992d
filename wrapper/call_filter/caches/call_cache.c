// SPDX-License-Identifier: MIT
#include "call_filter/caches/call_cache.h"

#include "abi/vendor.h"
#include "call_filter/caches/rma_target_cache.h"
#include "call_filter/other_arguments.h"
#include "call_filter/pending_buffers.h"
#include "call_filter/ranks_and_tags.h"
#include "call_filter/self_transfers.h"

enum { KNOWN_BITS = 8, WAYS = 4 };
// The sums of cleared calls; 0: unused. The upper bits of a sum select a set of WAYS entries. With
// a single entry each, two sums of one loop might evict each other in some runs, because they
// depend on addresses.
static uint64_t known[1 << KNOWN_BITS][WAYS];

// A sum is a sum of products with random odd factors. So two different calls have equal sums as
// rarely as two random numbers of 64 bits are equal.
#define OF_CALLER 0xBF58476D1CE4E5B9u
#define OF_TYPE 0x94D049BB133111EBu
#define OF_COUNT 0xD6E8FEB86659FD93u
#define OF_ACCESS 0xA0761D6478BD642Fu
#define OF_COMM 0xE7037ED1A0B428DBu
#define OF_ROOT 0x8EBC6AF09C88C6E3u
#define OF_OP 0x589965CC75374CC3u
#define OF_SECOND 0x1D8E4E27C47D124Fu
#define OF_DISTANCE 0xEB44ACCAB455D165u
#define OF_NOBODY 0xC2B2AE3D27D4EB4Fu
#define OF_THIRD 0x9E3779B97F4A7C15u
enum {
  OF_NO_TYPE = 1,
  RANKS = MPIPP_HAS_DEST | MPIPP_HAS_SOURCE | MPIPP_HAS_TAG | MPIPP_HAS_RECVTAG | MPIPP_HAS_ROOT
};

static uint64_t mix(uint64_t sum) {
  sum ^= sum >> 32;
  return (sum * OF_CALLER) | 1;
}

int mpipp_filter_was_cleared(uint64_t sum) {
  const uint64_t *places = known[sum >> (64 - KNOWN_BITS)];
  for (unsigned i = 0; i < WAYS; i++) {
    if (places[i] == sum) return 1;
  }
  return 0;
}

// Replaces the oldest sum of its set.
void mpipp_filter_remember_clearance(uint64_t sum) {
  uint64_t *places = known[sum >> (64 - KNOWN_BITS)];
  if (mpipp_filter_was_cleared(sum)) return;
  for (unsigned i = WAYS - 1; i; i--) places[i] = places[i - 1];
  places[0] = sum;
}

const struct mpipp_comm *mpipp_filter_last_comm = (void *)&mpipp_registry_no_object;
static const struct mpipp_object *last_op = (void *)&mpipp_registry_no_object;
static const struct mpipp_object *last_win = (void *)&mpipp_registry_no_object;

void mpipp_filter_forget_objects(void) {
  MPIPP_WRITE(mpipp_filter_last_comm, (void *)&mpipp_registry_no_object);
  MPIPP_WRITE(last_op, (void *)&mpipp_registry_no_object);
  MPIPP_WRITE(last_win, (void *)&mpipp_registry_no_object);
}

int mpipp_filter_is_plain_comm(uint64_t handle) {
  if (MPIPP_LIKELY(MPIPP_READ(MPIPP_READ(mpipp_filter_last_comm)->object.live) == handle)) return 1;
  if (!mpipp_is_mpi_available()) return 0;
  const struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, handle);
  if (!comm || comm->object.flags & MPIPP_FLAG_NULL || comm->inter) return 0;
  MPIPP_WRITE(mpipp_filter_last_comm, comm);
  return 1;
}

// The live object of a handle, usually the same as in the last call; NULL if there is none.
static const struct mpipp_object *live_object(enum mpipp_kind kind,
                                              const struct mpipp_object **last, uint64_t handle) {
  const struct mpipp_object *object = MPIPP_READ(*last);
  if (MPIPP_LIKELY(MPIPP_READ(object->live) == handle)) return object;
  if (!mpipp_is_mpi_available()) return NULL;
  object = mpipp_find_live(kind, handle);
  if (!object || object->flags & MPIPP_FLAG_NULL) return NULL;
  MPIPP_WRITE(*last, object);
  return object;
}

// The sum of a buffer; 0 if the construction of its datatype is unknown, or the buffer has arrays.
static inline uint64_t sum_of(const struct mpipp_call *call, const struct mpipp_buffer *buffer) {
  uint64_t alike = mpipp_equal_datatype(buffer->record);
  if (!alike || buffer->vector) return 0;
  return ((uint64_t)call->caller + call->procedure) * OF_CALLER + alike * OF_TYPE +
         (uint64_t)buffer->count * OF_COUNT +
         ((uint64_t)buffer->access << 32 ^ (uint64_t)buffer->peers) * OF_ACCESS;
}

static uint64_t sum_of_meeting(uint64_t one, uint64_t other, uint64_t distance) {
  return mix(one * OF_SECOND + other + distance * OF_DISTANCE);
}

// The box of a buffer, which may be empty. Returns 0 if the slow path has to decide.
static int box_of(const struct mpipp_buffer *buffer, struct mpipp_box *box) {
  const struct mpipp_datatype *type = (const void *)(uintptr_t)buffer->record;
  int64_t count = buffer->count;
  box->writes = buffer->access / MPIPP_WRITES & 1;
  if (!type || buffer->access & MPIPP_STALE || count < 0) return 0;
  if (buffer->peers != 1 &&
      (buffer->peers < 0 || __builtin_mul_overflow(count, buffer->peers, &count)))
    return 0;
  box->low = box->high = 0;
  if (count == 0 || type->size == 0 || buffer->access & MPIPP_REMOTE) return 1;
  return mpipp_bounds(type, buffer->address, count, &box->low, &box->high) &&
         mpipp_is_placed(box->low, box->high, box->writes, (uint64_t)count * (uint64_t)type->size);
}

static int is_usable(const struct mpipp_buffer *buffer) {
  return mpipp_is_usable((const void *)(uintptr_t)buffer->record);
}

static int sum_up_buffers(struct mpipp_call *call, struct mpipp_sums *sums) {
  uint64_t low = ~(uint64_t)0, high = 0;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    const struct mpipp_buffer *buffer = &call->buffers[i];
    struct mpipp_box *box = &sums->boxes[i];
    sums->buffers[i] = OF_NO_TYPE;
    *box = (struct mpipp_box){.buffer = i};
    int is_local = !(buffer->access & MPIPP_REMOTE);
    if (buffer->address == (uintptr_t)MPI_IN_PLACE && is_local) continue;
    sums->buffers[i] = sum_of(call, buffer);
    if (!sums->buffers[i] || !box_of(buffer, box) || !is_usable(buffer)) return 0;
    if (mpipp_is_proc_null(call, box->writes)) box->low = box->high = 0;
    if (box->low == box->high) continue;
    for (uint32_t k = 0; k < i; k++) {
      if (mpipp_boxes_overlap(&sums->boxes[k], box)) return 0;
    }
    if (box->low < low) low = box->low;
    if (box->high > high) high = box->high;
  }
  call->low = low < high ? low : 0;
  call->high = high;
  return 1;
}

// The sum of the call's communicator, or of its window if the target's window contains the access.
// Returns 0 if that is not certain.
static uint64_t sum_of_place(const struct mpipp_call *call) {
  const uint32_t present = call->present;
  if (present & MPIPP_HAS_WIN) {
    const struct mpipp_object *win = live_object(MPIPP_WIN, &last_win, call->win);
    if (!win || !mpipp_filter_is_in_known_window(call, (const struct mpipp_win *)win)) return 0;
    return (uintptr_t)win * OF_COMM + win->serial;
  }
  if (!(present & MPIPP_HAS_COMM) || !call->buffer_count || !mpipp_filter_is_plain_comm(call->comm))
    return 0;
  const struct mpipp_comm *comm = MPIPP_READ(mpipp_filter_last_comm);
  uint64_t sum = (uintptr_t)comm * OF_COMM + comm->object.serial;
  if (MPIPP_UNLIKELY(present & MPIPP_HAS_RECVTAG) || MPIPP_UNLIKELY(!mpipp_has_ranks(call, comm))) {
    if (!mpipp_filter_has_plain_ranks(call, comm, NULL)) return 0;
    sum += mpipp_proc_null_sides(call) * OF_NOBODY;
  }
  if (present & MPIPP_HAS_ROOT) sum += (uint64_t)(call->root + 1) * OF_ROOT;
  return sum;
}

// Returns whether the result buffer of the operation is disjoint from the buffers that it reads.
static int are_disjoint(const struct mpipp_call *call) {
  struct mpipp_box boxes[MPIPP_MAX_BUFFERS];
  uint32_t count = 0;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    const struct mpipp_buffer *buffer = &call->buffers[i];
    if (buffer->access & MPIPP_REMOTE || !box_of(buffer, &boxes[count])) continue;
    for (uint32_t k = 0; k < count; k++)
      if (mpipp_boxes_overlap(&boxes[k], &boxes[count])) return 0;
    count++;
  }
  return 1;
}

int mpipp_filter_is_in_window(const struct mpipp_call *call) {
  const uint32_t has = MPIPP_HAS_WIN | MPIPP_HAS_TARGET_RANK;
  if ((call->present & has) != has || !call->buffer_count) return 1;
  const struct mpipp_object *win = live_object(MPIPP_WIN, &last_win, call->win);
  if (!win) return 0;
  if (MPIPP_LIKELY(mpipp_filter_knows_target(call, win))) return 1;
  if (!mpipp_filter_is_in_known_window(call, (const struct mpipp_win *)win)) return 0;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    const struct mpipp_buffer *buffer = &call->buffers[i];
    if (!buffer->record || buffer->access & MPIPP_STALE || !is_usable(buffer)) return 0;
  }
  if (!mpipp_filter_fits_target(call, NULL) || (call->buffer_count > 2 && !are_disjoint(call)))
    return 0;
  mpipp_filter_remember_target(call, win);
  return 1;
}

int mpipp_filter_sum_up(struct mpipp_call *call, struct mpipp_sums *sums) {
  const uint32_t summed = RANKS | MPIPP_HAS_COMM | MPIPP_HAS_WIN | MPIPP_HAS_TARGET_RANK |
                          MPIPP_HAS_REQUESTS | MPIPP_HAS_ORDINAL | MPIPP_HAS_RECV_ORDINAL |
                          MPIPP_HAS_OP;
  call->low = 0;
  call->high = ~(uint64_t)0;
  if (call->present & ~summed || call->buffer_count > MPIPP_MOST_SUMMED) return 0;
  uint64_t sum = sum_of_place(call);
  if (!sum || !sum_up_buffers(call, sums)) return 0;
  if (!call->buffer_count) sum += ((uint64_t)call->caller + call->procedure) * OF_CALLER;
  if (call->buffer_count > 0) sum += sums->buffers[0];
  if (call->buffer_count > 1) sum += sums->buffers[1] * OF_SECOND;
  if (call->buffer_count > 2) sum += sums->buffers[2] * OF_THIRD;
  if (call->present & MPIPP_HAS_OP) {
    const struct mpipp_object *op = live_object(MPIPP_OP, &last_op, call->op);
    if (!op) return 0;
    sum += ((uintptr_t)op + op->serial) * OF_OP;
  }
  sums->call = mix(sum);
  return 1;
}

void mpipp_filter_remember_cleared_pair(const struct mpipp_call *call, uint32_t buffer,
                                        const struct mpipp_call *other, uint32_t others) {
  uint64_t one = sum_of(call, &call->buffers[buffer]);
  uint64_t two = sum_of(other, &other->buffers[others]);
  uint64_t distance = other->buffers[others].address - call->buffers[buffer].address;
  if (one && two) mpipp_filter_remember_clearance(sum_of_meeting(one, two, distance));
}

// The box of one buffer of an active operation that has several. Returns 0 if it is unknown.
static MPIPP_COLD int box_of_several(const struct mpipp_call *call,
                                     const struct mpipp_buffer *buffer, struct mpipp_box *box) {
  if (buffer->vector || !box_of(buffer, box)) return 0;
  if (mpipp_is_proc_null(call, box->writes)) box->low = box->high = 0;
  return 1;
}

// The box of an operation's only buffer; for several buffers, a box that contains them all.
static inline void hull_of(const struct mpipp_call *call, struct mpipp_box *box) {
  box->low = call->low;
  box->high = call->high;
  box->writes = call->buffers[0].access / MPIPP_WRITES & 1;
}

// Returns whether an active operation does not use memory of the box, or this overlap was cleared
// before.
static int is_clear_of(const struct mpipp_request *request, const struct mpipp_call *call,
                       const struct mpipp_sums *sums, const struct mpipp_box *box) {
  for (uint32_t i = 0; i < request->call.buffer_count; i++) {
    const struct mpipp_buffer *buffer = &request->call.buffers[i];
    struct mpipp_box other;
    if (MPIPP_LIKELY(request->call.buffer_count == 1))
      hull_of(&request->call, &other);
    else if (!box_of_several(&request->call, buffer, &other))
      return 0;
    if (!mpipp_boxes_overlap(box, &other)) continue;
    uint64_t sum = sum_of(&request->call, buffer);
    uint64_t distance = buffer->address - call->buffers[box->buffer].address;
    if (!sum ||
        !mpipp_filter_was_cleared(sum_of_meeting(sums->buffers[box->buffer], sum, distance)))
      return 0;
  }
  return 1;
}

static int is_clear_of_requests(const struct mpipp_call *call, const struct mpipp_sums *sums) {
  const struct mpipp_request *request = NULL;
  uint64_t count = mpipp_few_requests(&request);
  if (count > MPIPP_FEW_REQUESTS) return 0;
  for (; count; count--, request++) {
    if (!mpipp_comes_near(request, call)) continue;
    for (uint32_t i = 0; i < call->buffer_count; i++) {
      const struct mpipp_box *box = &sums->boxes[i];
      if (box->low < box->high && !is_clear_of(request, call, sums, box)) return 0;
    }
  }
  return 1;
}

int mpipp_filter_is_repeated_call(struct mpipp_thread *thread) {
  struct mpipp_call *call = &thread->call;
  struct mpipp_sums sums;
  return mpipp_facts[call->procedure].form <= MPIPP_FORM_NONBLOCKING &&
         mpipp_filter_sum_up(call, &sums) && mpipp_filter_was_cleared(sums.call) &&
         is_clear_of_requests(call, &sums);
}
