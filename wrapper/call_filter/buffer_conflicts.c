// SPDX-License-Identifier: MIT
#include "call_filter/buffer_conflicts.h"

#include "call_filter/block_overlap.h"
#include "call_filter/caches/call_cache.h"
#include "call_filter/ranks_and_tags.h"
#include "recorder/requests/requests.h"

static int is_partitioned(const struct mpipp_call *call) {
  return mpipp_facts[call->procedure].form == MPIPP_FORM_PARTITIONED;
}

// Remembers a checked overlap. If the result depends on the partitions that are ready or have
// arrived, it may change, and is not remembered.
static void remember_meeting(const struct mpipp_call *call, const struct mpipp_meeting *meeting) {
  const struct mpipp_request *request = mpipp_owner_request(meeting->other);
  if (!request || is_partitioned(call) || is_partitioned(&request->call)) return;
  mpipp_filter_remember_cleared_pair(call, meeting->own_buffer, &request->call, meeting->buffer);
}

// Returns whether memory of the box belongs to the operation. When an operation is being started,
// the state of its partitions is still that of the last start.
static int holds(const struct mpipp_request *request, const struct mpipp_box *box,
                 struct mpipp_doubt *doubt) {
  if (request->state == MPIPP_REQUEST_ACTIVE) return mpipp_filter_holds(request, box, doubt);
  return !is_partitioned(&request->call) || request->call.present & MPIPP_HAS_SOURCE;
}

static int is_reported(const struct mpipp_meetings *meetings, const struct mpipp_doubt *doubt) {
  for (uint32_t i = 0; i < meetings->count; i++) {
    const struct mpipp_doubt *other = &meetings->met[i].doubt;
    if (other->low == doubt->low && other->high == doubt->high) return 1;
  }
  return 0;
}

static void meet(void *asking, const struct mpipp_box *met, struct mpipp_owner owner) {
  struct mpipp_meetings *meetings = asking;
  struct mpipp_meeting meeting = {.other = owner,
                                  .own = meetings->own,
                                  .buffer = met->buffer,
                                  .own_buffer = meetings->own_buffer};
  const struct mpipp_request *request = mpipp_owner_request(owner);
  if (request && !holds(request, meetings->box, &meeting.doubt)) return;
  if (meetings->partitions) {
    mpipp_doubt(&meeting.doubt, (uint64_t)meetings->partitions->first);
    mpipp_doubt(&meeting.doubt, (uint64_t)meetings->partitions->count);
  }
  if (mpipp_filter_is_new_meeting(meetings->call, &meeting)) {
    if (is_reported(meetings, &meeting.doubt)) return;
    const struct mpipp_call *other = mpipp_filter_call_of(owner);
    if (!mpipp_filter_are_separate(&meetings->call->buffers[meeting.own_buffer],
                                   &other->buffers[meeting.buffer])) {
      if (meetings->count < MPIPP_MOST_MEETINGS)
        meetings->met[meetings->count++] = meeting;
      else
        meetings->too_many = 1;
      return;
    }
    mpipp_filter_remember(&meeting.doubt);
  }
  remember_meeting(meetings->call, &meeting);
}

static int is_used(const struct mpipp_call *call, const struct mpipp_box *box) {
  return box->low != box->high && !mpipp_is_proc_null(call, box->writes);
}

void mpipp_filter_add_pending(const struct mpipp_call *call, const struct mpipp_own *boxes,
                              struct mpipp_owner owner) {
  for (uint32_t i = 0; i < boxes->count; i++) {
    if (is_used(call, &boxes->boxes[i])) mpipp_pending_add(&boxes->boxes[i], owner, MPIPP_NO_BOX);
  }
}

void mpipp_filter_boxes_of(const struct mpipp_call *call, struct mpipp_own *boxes) {
  struct mpipp_doubt doubt = {0};
  boxes->count = call->buffer_count;
  for (uint32_t i = 0; i < boxes->count; i++)
    mpipp_filter_box_of(call, i, &boxes->boxes[i], &doubt);
}

// A function to call for each request with an active operation.
typedef void for_request(const struct mpipp_request *request, void *context);
static void visit_active(for_request *act, void *context) {
  const struct mpipp_table *table = mpipp_registry_stores[MPIPP_REQUEST].table;
  for (const struct mpipp_chunk *chunk = (const void *)(uintptr_t)table->chunks; chunk;
       chunk = (const void *)(uintptr_t)MPIPP_READ(chunk->next)) {
    const struct mpipp_request *requests = (const void *)(chunk + 1);
    for (uint64_t i = 0; i < MPIPP_READ(chunk->used); i++) {
      const struct mpipp_request *request = &requests[i];
      struct mpipp_owner owner = {(uintptr_t)request, request->object.serial};
      if (owner.serial && mpipp_is_owner_active(owner)) act(request, context);
    }
  }
}

static void keep(const struct mpipp_request *request, void *context) {
  (void)context;
  struct mpipp_own boxes;
  mpipp_filter_boxes_of(&request->call, &boxes);
  mpipp_filter_add_pending(&request->call, &boxes,
                           (struct mpipp_owner){(uintptr_t)request, request->object.serial});
}

void mpipp_filter_keep_boxes(void) {
  if (!mpipp_filter_keeps_boxes) visit_active(keep, NULL);
  mpipp_filter_keeps_boxes = 1;
}

// Returns whether there are so few requests that each can be visited. For more requests, boxes are
// kept.
static int are_few(void) {
  const struct mpipp_chunk *chunk =
      (const void *)(uintptr_t)mpipp_registry_stores[MPIPP_REQUEST].table->chunks;
  if (mpipp_filter_keeps_boxes) return 0;
  if (!chunk || chunk->used <= MPIPP_FEW_REQUESTS) return 1;
  mpipp_filter_keep_boxes();
  return 0;
}

// The arguments and the result of a search over requests.
struct mpipp_looking {
  const struct mpipp_call *call;
  const struct mpipp_own *boxes;
  struct mpipp_owner owner;
  struct mpipp_meetings *meetings;
};

static void meet_request(const struct mpipp_request *request, void *context) {
  struct mpipp_looking *looking = context;
  struct mpipp_own others;
  struct mpipp_owner owner = {(uintptr_t)request, request->object.serial};
  if (owner.record == looking->owner.record) return;
  mpipp_filter_boxes_of(&request->call, &others);
  for (uint32_t i = 0; i < looking->boxes->count; i++) {
    const struct mpipp_box *box = &looking->boxes->boxes[i];
    looking->meetings->own_buffer = i;
    looking->meetings->box = box;
    for (uint32_t k = 0; is_used(looking->call, box) && k < others.count; k++) {
      if (is_used(&request->call, &others.boxes[k]) && mpipp_boxes_overlap(box, &others.boxes[k]))
        meet(looking->meetings, &others.boxes[k], owner);
    }
  }
}

void mpipp_filter_meet_pending(const struct mpipp_call *call, const struct mpipp_own *boxes,
                               struct mpipp_owner owner, struct mpipp_meetings *meetings) {
  meetings->call = call;
  if (are_few()) {
    struct mpipp_looking looking = {call, boxes, owner, meetings};
    visit_active(meet_request, &looking);
    return;
  }
  for (uint32_t i = 0; i < boxes->count; i++) {
    meetings->own_buffer = i;
    meetings->box = &boxes->boxes[i];
    if (is_used(call, &boxes->boxes[i]) &&
        !mpipp_filter_pending_meet(&boxes->boxes[i], &call->buffers[i], owner, meet, meetings))
      meetings->too_many = 1;
  }
}

// The persistent request at index i of the array; NULL if there is none.
static struct mpipp_request *start_at(const struct mpipp_call *call, int64_t i) {
  const MPI_Request *requests = (const MPI_Request *)(uintptr_t)call->requests;
  struct mpipp_request *request = mpipp_find_live(MPIPP_REQUEST, MPIPP_KEY(requests[i]));
  return request && request->persistent ? request : NULL;
}

static int64_t start_count(const struct mpipp_call *call) {
  return call->requests ? call->request_count : 0;
}

static struct mpipp_owner owner_of(const struct mpipp_request *request) {
  return (struct mpipp_owner){(uintptr_t)request, request->object.serial};
}

// A number for all operations that the call starts: their arguments do not change between starts.
static uint64_t sum_of_starts(const struct mpipp_call *call) {
  const uint64_t odd = 0x9E3779B97F4A7C15u;
  uint64_t sum = MPIPP_PROC_Startall;
  for (int64_t i = 0; i < start_count(call); i++) {
    const struct mpipp_request *request = start_at(call, i);
    if (!request) continue;
    sum = (sum ^ (uintptr_t)request) * odd;
    sum = (sum ^ sum >> 32 ^ request->object.serial) * odd;
  }
  return sum | 1;
}

int mpipp_filter_meet_starting(const struct mpipp_call *call, struct mpipp_meetings *meetings) {
  const uint64_t sum = call->request_count > 1 ? sum_of_starts(call) : 0;
  const int is_new =
      sum && (MPIPP_READ(mpipp_registry_several_threads) || !mpipp_filter_was_cleared(sum));
  meetings->started = is_new ? sum : 0;
  if (is_new) mpipp_filter_starting_pass = mpipp_filter_next_pass();
  for (int64_t i = 0; i < start_count(call); i++) {
    struct mpipp_request *request = start_at(call, i);
    if (!request) continue;
    struct mpipp_own boxes;
    mpipp_filter_boxes_of(&request->call, &boxes);
    meetings->own = (uintptr_t)request;
    // The partitions of a send belong to the program until they are marked ready.
    if (!is_partitioned(&request->call) || request->call.present & MPIPP_HAS_SOURCE)
      mpipp_filter_meet_pending(&request->call, &boxes, owner_of(request), meetings);
    if (!is_new) continue;
    request->object.given = mpipp_filter_starting_pass;
    if (mpipp_filter_keeps_boxes)
      mpipp_filter_add_pending(&request->call, &boxes, owner_of(request));
  }
  meetings->own = 0;
  mpipp_filter_starting_pass = 0;
  return is_new && mpipp_filter_keeps_boxes;
}

void mpipp_filter_keep_starts(const struct mpipp_call *call) {
  for (int64_t i = 0; i < start_count(call); i++) {
    const struct mpipp_request *request = start_at(call, i);
    if (request) keep(request, NULL);
  }
}

void mpipp_filter_meet_ready(const struct mpipp_call *call, struct mpipp_meetings *meetings) {
  const struct mpipp_request *request = mpipp_filter_partitioned_send(call);
  if (!request || request->state != MPIPP_REQUEST_ACTIVE) return;
  struct mpipp_own boxes = {.count = 1};
  struct mpipp_run run = {0, 0};
  meetings->partitions = &run;
  for (int64_t at = 0; mpipp_filter_next_run(call, request, &at, &run);) {
    if (!mpipp_filter_box_of_partitions(request, run, &boxes.boxes[0]))
      mpipp_filter_boxes_of(&request->call, &boxes);
    mpipp_filter_meet_pending(&request->call, &boxes, owner_of(request), meetings);
  }
  meetings->partitions = NULL;
}

void mpipp_filter_meetings_open(struct mpipp_meetings *meetings) {
  meetings->partitions = NULL;
  meetings->own = 0;
  meetings->count = 0;
  meetings->too_many = 0;
  meetings->started = 0;
}

void mpipp_filter_remember_meetings(const struct mpipp_call *call,
                                    const struct mpipp_meetings *meetings) {
  int all = !meetings->too_many;
  for (uint32_t i = 0; i < meetings->count; i++) {
    int is_asked = !mpipp_filter_is_new_doubt(&meetings->met[i].doubt);
    if (is_asked && call->buffer_count) remember_meeting(call, &meetings->met[i]);
    all &= is_asked;
  }
  if (all && meetings->started) mpipp_filter_remember_clearance(meetings->started);
}
