// SPDX-License-Identifier: MIT
#include "call_filter/partitions.h"

#include <string.h>

#include "call_filter/integer_arguments.h"
#include "generated/facts.h"

enum { MOST_LISTED = 64 };

static const struct mpipp_request *request_of(const struct mpipp_call *call) {
  const MPI_Request *given = (const MPI_Request *)(uintptr_t)call->requests;
  return mpipp_find_live(MPIPP_REQUEST, MPIPP_KEY(*given));
}

static int is_partitioned(const struct mpipp_request *request, uint32_t side) {
  return mpipp_facts[request->call.procedure].form == MPIPP_FORM_PARTITIONED &&
         request->call.present & side;
}

const struct mpipp_request *mpipp_filter_partitioned_send(const struct mpipp_call *call) {
  const struct mpipp_request *request = request_of(call);
  return request && is_partitioned(request, MPIPP_HAS_DEST) ? request : NULL;
}

static int64_t count_of_partitions(const struct mpipp_call *call) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  if (call->procedure == MPIPP_PROC_Pready) return 1;
  if (call->procedure == MPIPP_PROC_Pready_list)
    return inputs[1].values ? mpipp_input_value(&inputs[0], 0) : 0;
  return mpipp_input_value(&inputs[1], 0) - mpipp_input_value(&inputs[0], 0) + 1;
}

static int64_t partition_at(const struct mpipp_call *call, int64_t index) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  int is_list = call->procedure == MPIPP_PROC_Pready_list;
  return is_list ? mpipp_input_value(&inputs[1], index) : mpipp_input_value(&inputs[0], 0) + index;
}

static int is_marked(const struct mpipp_request *request, int64_t partition) {
  const unsigned char *marks = (const unsigned char *)(uintptr_t)MPIPP_READ(request->marks);
  return marks && MPIPP_READ(marks[partition]);
}

int mpipp_filter_are_partitions(const struct mpipp_call *call) {
  const struct mpipp_request *request = mpipp_filter_partitioned_send(call);
  if (!request || request->state != MPIPP_REQUEST_ACTIVE) return 0;
  int is_list = call->procedure == MPIPP_PROC_Pready_list;
  int64_t count = count_of_partitions(call), all = request->call.buffers[0].peers;
  if (count > MOST_LISTED && is_list) return 0;
  for (int64_t i = 0; i < count; i++) {
    int64_t partition = partition_at(call, i);
    if (partition < 0 || partition >= all || is_marked(request, partition)) return 0;
    for (int64_t k = 0; is_list && k < i; k++) {
      if (partition_at(call, k) == partition) return 0;
    }
  }
  return 1;
}

// A request that is null or not active is valid here.
int mpipp_filter_may_arrive(const struct mpipp_call *call) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  const struct mpipp_request *request = request_of(call);
  if (!request || request->object.flags & MPIPP_FLAG_NULL) return 1;
  int64_t partition = mpipp_input_value(&inputs[0], 0);
  return is_partitioned(request, MPIPP_HAS_SOURCE) && partition >= 0 &&
         partition < request->call.buffers[0].peers;
}

int mpipp_filter_next_run(const struct mpipp_call *call, const struct mpipp_request *request,
                          int64_t *at, struct mpipp_run *run) {
  int64_t count = count_of_partitions(call), all = request->call.buffers[0].peers;
  if (call->procedure != MPIPP_PROC_Pready_list) {
    int64_t first = partition_at(call, 0), end = first + count;
    run->first = first < 0 ? 0 : first;
    run->count = (end < all ? end : all) - run->first;
    return (*at)++ == 0 && run->count > 0;
  }
  run->count = 0;
  for (; *at < count; (*at)++) {
    int64_t partition = partition_at(call, *at);
    if (run->count && partition != run->first + run->count) break;
    if (partition < 0 || partition >= all) continue;
    if (!run->count) run->first = partition;
    run->count++;
  }
  return run->count > 0;
}

// The distance in bytes from one partition to the next; 0 if their addresses do not ascend.
static int64_t distance_of(const struct mpipp_buffer *buffer) {
  const struct mpipp_datatype *type = (const void *)(uintptr_t)buffer->record;
  int64_t distance;
  if (!type || buffer->vector || buffer->count <= 0 || type->extent <= 0 || type->size == 0 ||
      __builtin_mul_overflow(buffer->count, type->extent, &distance))
    return 0;
  return distance;
}

int mpipp_filter_box_of_partitions(const struct mpipp_request *request, struct mpipp_run run,
                                   struct mpipp_box *box) {
  const struct mpipp_buffer *buffer = &request->call.buffers[0];
  int64_t distance = distance_of(buffer), before, count;
  *box = (struct mpipp_box){.writes = buffer->access / MPIPP_WRITES & 1};
  return distance && !__builtin_mul_overflow(distance, run.first, &before) &&
         !__builtin_mul_overflow(buffer->count, run.count, &count) &&
         mpipp_bounds((const void *)(uintptr_t)buffer->record, buffer->address + (uint64_t)before,
                      count, &box->low, &box->high);
}

static int64_t floor_of(int64_t dividend, int64_t divisor) {
  return dividend / divisor - (dividend % divisor < 0);
}

// The partitions that may have bytes in the box.
static struct mpipp_run in_box(const struct mpipp_buffer *buffer, const struct mpipp_box *box) {
  struct mpipp_box first;
  const struct mpipp_datatype *type = (const void *)(uintptr_t)buffer->record;
  int64_t distance = distance_of(buffer), end = buffer->peers - 1;
  if (!distance || !mpipp_bounds(type, buffer->address, buffer->count, &first.low, &first.high))
    return (struct mpipp_run){0, buffer->peers};
  int64_t from = floor_of((int64_t)box->low - (int64_t)first.high, distance) + 1;
  int64_t to = floor_of((int64_t)box->high - 1 - (int64_t)first.low, distance);
  if (from < 0) from = 0;
  if (to > end) to = end;
  return (struct mpipp_run){from, to < from ? 0 : to - from + 1};
}

int mpipp_filter_holds(const struct mpipp_request *request, const struct mpipp_box *box,
                       struct mpipp_doubt *doubt) {
  const struct mpipp_call *call = &request->call;
  if (mpipp_facts[call->procedure].form != MPIPP_FORM_PARTITIONED) return 1;
  const unsigned char *marks = (const unsigned char *)(uintptr_t)MPIPP_READ(request->marks);
  const int64_t ready = MPIPP_READ(request->ready), all = call->buffers[0].peers;
  const int sends = (call->present & MPIPP_HAS_DEST) != 0;
  if (!marks || ready == 0 || ready == all) return ready == (sends ? all : 0);
  struct mpipp_run run = in_box(&call->buffers[0], box);
  if (!run.count || !memchr(marks + run.first, sends, (size_t)run.count)) return 0;
  mpipp_doubt(doubt, (uint64_t)run.first);
  for (int64_t i = 0; i < run.count; i++) mpipp_doubt(doubt, marks[run.first + i]);
  return 1;
}
