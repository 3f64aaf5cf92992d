// SPDX-License-Identifier: MIT
#include "recorder/requests/shared_handles.h"

#include <stddef.h>
#include <string.h>

#include "registry/object_store.h"

// The largest number of records that are searched for the right one. If operations complete in
// order, the first record is the right one.
enum { FARTHEST = 1024 };

// The newest request, if MPI stored its handle at the same address as the handle of an older one.
// Then the program has moved the older handle elsewhere, or lost it.
static struct mpipp_request *newest_at(struct mpipp_request *first, uint64_t where) {
  struct mpipp_request *newest = first ? (void *)(uintptr_t)first->newest : NULL;
  return newest && newest->call.requests == where ? newest : NULL;
}

static int is_completed(const struct mpipp_request *request) {
  return (MPIPP_READ(request->object.flags) & MPIPP_FLAG_ENDED) != 0;
}

static struct mpipp_request *next_of(const struct mpipp_request *request) {
  return (void *)(uintptr_t)request->newer;
}

// Copies all members except those that each record keeps for itself.
static void move(struct mpipp_request *to, const struct mpipp_request *from) {
  const struct mpipp_call *call = &from->call;
  const size_t begin = offsetof(struct mpipp_request, state_and_all);
  const size_t second = offsetof(struct mpipp_request, call.buffers[1]);
  const size_t end = offsetof(struct mpipp_request, newer);
  memcpy((char *)to + begin, (const char *)from + begin, second - begin);
  if (call->buffer_count > 1 || call->present & ~(uint32_t)MPIPP_HAS_FIRST)
    memcpy((char *)to + second, (const char *)from + second, end - second);
  memcpy((char *)to + end, (const char *)from + end, sizeof *to - end);
}

// The first of several requests with one handle is complete, but the handle leads to its record. So
// the record takes over the content of the second request.
static void advance(struct mpipp_request *first) {
  struct mpipp_request *second = next_of(first);
  uint64_t serial = MPIPP_READ(second->object.serial), frames = first->object.frames;
  uint64_t newest = first->newest == first->newer ? 0 : first->newest;
  __atomic_store_n(&first->object.serial, 0, __ATOMIC_RELEASE);
  mpipp_recorder_drop_call(first);
  first->object.caller = second->object.caller;
  first->object.frames = second->object.frames;
  second->object.frames = frames; // released together with the second record
  move(first, second);
  first->newest = newest;
  second->copies = second->counted = second->marks = 0; // the first record owns these now
  second->state = MPIPP_REQUEST_COMPLETE;               // for readers that visit all records
  mpipp_registry_discard_locked(second);
  MPIPP_WRITE(first->object.references, first->object.references - 1);
  first->special |= MPIPP_SPECIAL;
  MPIPP_WRITE(first->object.flags, 0);
  __atomic_store_n(&first->object.serial, serial, __ATOMIC_RELEASE);
}

static void append(struct mpipp_request *first, struct mpipp_request *request) {
  struct mpipp_request *last = first->newest ? (void *)(uintptr_t)first->newest : first;
  mpipp_mark(&request->object, MPIPP_FLAG_UNLISTED);
  // A reference keeps the first record from being reused.
  MPIPP_WRITE(first->object.references, first->object.references + 1);
  first->newest = (uint64_t)(uintptr_t)request;
  first->special |= MPIPP_SPECIAL;
  __atomic_store_n(&last->newer, (uint64_t)(uintptr_t)request, __ATOMIC_RELEASE);
}

void mpipp_recorder_chain_add(struct mpipp_request *request) {
  struct mpipp_request *first = mpipp_registry_find_locked(MPIPP_REQUEST, request->object.handle);
  int replaces = first && is_completed(first);
  if (first && !replaces) {
    append(first, request);
  } else if (!mpipp_registry_list_locked(request)) {
    mpipp_registry_discard_locked(request);
    mpipp_registry_count_loss();
  } else if (replaces) {
    mpipp_registry_discard_locked(first);
  }
}

static void end(struct mpipp_request *first, struct mpipp_request *before,
                struct mpipp_request *chosen) {
  if (chosen == first) {
    if (first->newer) advance(first);
    return;
  }
  before->newer = chosen->newer;
  if (first->newest == (uint64_t)(uintptr_t)chosen)
    first->newest = before == first ? 0 : (uint64_t)(uintptr_t)before;
  mpipp_registry_discard_locked(chosen);
  MPIPP_WRITE(first->object.references, first->object.references - 1);
}

// Completes the operation of a request. `copy` takes the record's content. A persistent request
// keeps its own copies of arrays, and `copy` shares them; any other request passes them on.
static void take(struct mpipp_request *request, int kept, struct mpipp_request *copy) {
  *copy = *request;
  if (kept)
    copy->counted = copy->marks = 0;
  else
    request->counted = request->copies = request->marks = 0;
}

struct mpipp_output mpipp_recorder_chain_complete(uint64_t handle, uint64_t where, int kept,
                                                  struct mpipp_request *copy) {
  struct mpipp_request *first = mpipp_registry_find_locked(MPIPP_REQUEST, handle);
  struct mpipp_request *chosen = NULL, *before = NULL, *previous = NULL;
  int passed = 0;
  const struct mpipp_request *newest = newest_at(first, where);
  for (struct mpipp_request *r = first; r && passed++ < FARTHEST; previous = r, r = next_of(r)) {
    int meant = newest ? r == newest : r->call.requests == where;
    if (is_completed(r) || (chosen && !meant)) continue;
    chosen = r;
    before = previous;
    if (meant) break;
  }
  if (!chosen) return (struct mpipp_output){0};
  if (copy) take(chosen, kept, copy);
  struct mpipp_output output = mpipp_recorder_complete_operation(chosen, kept);
  output.shared = first->newer != 0;
  if (!kept) end(first, before, chosen);
  return output;
}

struct mpipp_request *mpipp_recorder_chain_find(uint64_t handle, uint64_t where) {
  struct mpipp_request *r = mpipp_registry_find_locked(MPIPP_REQUEST, handle);
  while (r && (is_completed(r) || !(where ? r->call.requests == where : r->persistent)))
    r = next_of(r);
  return r;
}

// Requests before a doubtful one are doubtful, too, so the search begins behind them.
struct mpipp_request *mpipp_recorder_chain_doubt(uint64_t handle) {
  struct mpipp_request *r = mpipp_registry_find_locked(MPIPP_REQUEST, handle);
  const struct mpipp_request *newest = r && r->newest ? (void *)(uintptr_t)r->newest : r;
  if (!newest || newest->special & MPIPP_DOUBTED) return NULL;
  while (r && (is_completed(r) || r->special & MPIPP_DOUBTED)) r = next_of(r);
  if (r) r->special |= MPIPP_DOUBTED;
  return r;
}
