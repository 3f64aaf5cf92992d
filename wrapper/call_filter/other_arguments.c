// SPDX-License-Identifier: MIT
#include "call_filter/other_arguments.h"

#include <stdlib.h>

#include "call_filter/arguments.h"
#include "call_filter/caches/query_cache.h"
#include "call_filter/ranks_and_tags.h"
#include "call_filter/reduction_ops.h"
#include "call_filter/self_transfers.h"
#include "recorder/objects/attached_buffers.h"
#include "recorder/objects/windows.h"
#include "registry/registry.h"

// Limits for queries about a target window whose size is not known yet, for equal accesses and in
// all. More than one query is useful: the target process may not have recorded its window yet. Or
// the access may be outside the range of the postponed accesses.
enum { MOST_ALIKE = 4, MOST_REACHES = 16 };

int mpipp_filter_has_session(void) {
  const struct mpipp_table *table = mpipp_registry_stores[MPIPP_SESSION].table;
  for (const struct mpipp_chunk *chunk = (const void *)(uintptr_t)table->chunks; chunk;
       chunk = (const void *)(uintptr_t)chunk->next) {
    const struct mpipp_session *sessions = (const void *)(chunk + 1);
    for (uint64_t i = 0; i < chunk->used; i++) {
      uint32_t flags = MPIPP_READ(sessions[i].object.flags);
      if (sessions[i].object.serial && !(flags & (MPIPP_FLAG_ENDED | MPIPP_FLAG_NULL))) return 1;
    }
  }
  return 0;
}

// Adds the facts that decide whether an operation fits the datatypes.
static void doubt_op(const struct mpipp_call *call, const struct mpipp_object *op,
                     struct mpipp_doubt *doubt) {
  mpipp_doubt_reason(doubt, MPIPP_OF_OP, (uintptr_t)op);
  mpipp_doubt(doubt, op->flags & MPIPP_FLAG_PREDEFINED);
  for (uint32_t i = 0; i < call->buffer_count; i++)
    mpipp_doubt(doubt, mpipp_filter_shape_of(call->buffers[i].record, call->buffers[i].datatype));
}

// Adds the facts that decide a query about a window whose size is not known yet.
static int doubt_reach(const struct mpipp_call *call, const struct mpipp_win *win,
                       const struct mpipp_buffer *buffer, struct mpipp_doubt *doubt) {
  mpipp_doubt(doubt, win->object.serial);
  mpipp_doubt(doubt, buffer->address);
  mpipp_doubt(doubt, (uint64_t)buffer->count);
  mpipp_doubt(doubt, mpipp_filter_shape_of(buffer->record, buffer->datatype));
  return mpipp_doubt_reason(doubt, MPIPP_OF_TARGET, (uint64_t)call->target_rank);
}

// While a window's size is unknown, only a few accesses are queried, since the watcher needs time.
// Other accesses are postponed: only their range is kept, and checked when the size is known.
// Returns 0 if this access needs a query now.
static int hold(struct mpipp_reach *reach, const struct mpipp_buffer *buffer) {
  int64_t low, high, at = (int64_t)buffer->address;
  if (MPIPP_READ(mpipp_registry_several_threads) || mpipp_filter_awaits_answers) return 0;
  if (!mpipp_filter_bytes_behind(buffer, &low, &high)) return high == 0;
  struct mpipp_reached *kind = reach->kinds, *last = kind + MPIPP_REACHED - 1;
  const struct mpipp_reached *end = kind + reach->used;
  while (kind < end && kind < last && (low != kind->low || high != kind->high)) kind++;
  int is_alike = kind == end || (low == kind->low && high == kind->high);
  if (reach->asked < (is_alike ? MOST_ALIKE : MOST_REACHES)) {
    reach->asked++;
    return 0;
  }
  reach->held++;
  if (kind == end) {
    reach->used++;
    *kind = (struct mpipp_reached){.low = low, .high = high, .first = at, .last = at};
  }
  if (at < kind->first) kind->first = at;
  if (at > kind->last) kind->last = at;
  if (low < kind->low) kind->low = low;
  if (high > kind->high) kind->high = high;
  return 1;
}

// Returns whether the target rank is valid, and the access is inside the target's window, if the
// window's size is known.
static int is_fine_target(const struct mpipp_call *call, const struct mpipp_win *win,
                          struct mpipp_doubt *doubt) {
  if (!(call->present & MPIPP_HAS_TARGET_RANK)) return 1;
  const struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, win->comm);
  int64_t target = call->target_rank;
  if (!mpipp_is_rank(target, comm ? comm->size : INT32_MAX))
    return mpipp_doubt_reason(doubt, MPIPP_OF_TARGET, (uint64_t)target);
  if (target == MPI_PROC_NULL || win->flavor == MPIPP_WIN_DYNAMIC) return 1;
  struct mpipp_reach reach = {
      .state = MPIPP_REACH_KNOWN, .size = win->size, .disp_unit = win->disp_unit};
  struct mpipp_reach *other = NULL;
  if (target != win->rank) {
    struct mpipp_reaches *others = (void *)(uintptr_t)win->reaches;
    if (!others || (uint64_t)target >= others->count) return 1;
    other = &others->all[target];
    reach.state = __atomic_load_n(&other->state, __ATOMIC_ACQUIRE);
    if (reach.state == MPIPP_REACH_ELSEWHERE) return 1;
    reach.size = other->size;
    reach.disp_unit = other->disp_unit;
    if (MPIPP_UNLIKELY(other->held)) mpipp_recorder_reach_settle(other);
  }
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    const struct mpipp_buffer *buffer = &call->buffers[i];
    if (!(buffer->access & MPIPP_REMOTE)) continue;
    if (reach.state == MPIPP_REACH_UNKNOWN) {
      if (hold(other, buffer)) continue;
      return doubt_reach(call, win, buffer, doubt);
    }
    if (!mpipp_filter_is_within(buffer, &reach))
      return mpipp_doubt_reason(doubt, MPIPP_OF_TARGET, (uint64_t)target);
  }
  return 1;
}

int mpipp_filter_is_in_known_window(const struct mpipp_call *call, const struct mpipp_win *win) {
  if (!(call->present & MPIPP_HAS_TARGET_RANK)) return 1;
  struct mpipp_reach own = {.size = win->size, .disp_unit = win->disp_unit};
  const struct mpipp_reach *reach = &own;
  if (call->target_rank == MPI_PROC_NULL || win->flavor == MPIPP_WIN_DYNAMIC) return 0;
  if (call->target_rank != win->rank) {
    const struct mpipp_reaches *others = (const void *)(uintptr_t)win->reaches;
    if (!others || (uint64_t)call->target_rank >= others->count) return 0;
    reach = &others->all[call->target_rank];
    if (__atomic_load_n(&reach->state, __ATOMIC_ACQUIRE) != MPIPP_REACH_KNOWN || reach->held)
      return 0;
  }
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    const struct mpipp_buffer *buffer = &call->buffers[i];
    if (buffer->access & MPIPP_REMOTE && !mpipp_filter_is_within(buffer, reach)) return 0;
  }
  return 1;
}

static int asks_commits; // whether the run reports needless calls of MPI_Type_commit

void mpipp_filter_commits_open(void) {
  asks_commits = getenv("MPIPP_COMMITS") != NULL;
}

static int has_fine_types(const struct mpipp_call *call, struct mpipp_doubt *doubt) {
  int frees = call->procedure == MPIPP_PROC_Type_free;
  int commits = asks_commits && call->procedure == MPIPP_PROC_Type_commit;
  const MPI_Datatype *types = (const MPI_Datatype *)(uintptr_t)call->types;
  for (int64_t i = 0; types && i < call->type_count; i++) {
    uint64_t handle = MPIPP_KEY(types[i]);
    const struct mpipp_object *type = mpipp_passed_object(MPIPP_DATATYPE, handle, doubt);
    if (!type) return 0;
    if (frees && type->flags & MPIPP_FLAG_PREDEFINED)
      return mpipp_doubt_reason(doubt, MPIPP_OF_OBJECT, handle);
    uint32_t committed = type->flags & (MPIPP_FLAG_PREDEFINED | MPIPP_FLAG_COMMITTED);
    if (commits && committed) return mpipp_doubt_reason(doubt, MPIPP_OF_OBJECT, committed);
  }
  return types || call->type_count <= 0 || mpipp_doubt_reason(doubt, MPIPP_OF_OBJECT, 0);
}

int mpipp_filter_is_fine_constructor(const struct mpipp_call *call, struct mpipp_doubt *doubt) {
  int fine = has_fine_types(call, doubt);
  if (call->combiner == MPIPP_COMBINER_NAMED || mpipp_filter_has_fine_numbers(call)) return fine;
  if (doubt) {
    mpipp_doubt_reason(doubt, MPIPP_OF_ARGUMENTS, call->combiner);
    mpipp_filter_doubt_inputs(call, doubt);
  }
  return 0;
}

// Returns whether the datatypes of a file's view are committed.
static int are_committed(const struct mpipp_call *call, struct mpipp_doubt *doubt) {
  const MPI_Datatype *types = (const MPI_Datatype *)(uintptr_t)call->types;
  int fine = 1;
  for (int64_t i = 0; i < call->type_count; i++) {
    uint64_t handle = MPIPP_KEY(types[i]);
    const struct mpipp_datatype *type = mpipp_passed_object(MPIPP_DATATYPE, handle, doubt);
    fine &=
        type && (mpipp_is_usable(type) || mpipp_doubt_reason(doubt, MPIPP_OF_OBJECT, (uint64_t)i));
  }
  return fine;
}

// Adds the datatypes of a file's view, which only the watcher checks.
static void doubt_view(const struct mpipp_call *call, struct mpipp_doubt *doubt) {
  const MPI_Datatype *types = (const MPI_Datatype *)(uintptr_t)call->types;
  for (int64_t i = 0; i < call->type_count; i++) {
    uint64_t handle = MPIPP_KEY(types[i]);
    const struct mpipp_object *type = mpipp_find_live(MPIPP_DATATYPE, handle);
    mpipp_doubt(doubt, type ? mpipp_filter_shape_of((uintptr_t)type, handle) : handle);
  }
  const struct mpipp_file *file = mpipp_find_live(MPIPP_FILE, call->file);
  mpipp_doubt_reason(doubt, MPIPP_OF_ARGUMENTS, file ? (uint64_t)file->amode : 0);
}

// Adds the arguments that only the watcher can check completely.
static void doubt_arguments(const struct mpipp_call *call, const struct mpipp_comm *comm,
                            struct mpipp_doubt *doubt) {
  mpipp_doubt_reason(doubt, MPIPP_OF_ARGUMENTS,
                     comm ? (uint64_t)comm->size << 32 | (uint32_t)comm->rank : 0);
  if (comm) mpipp_doubt(doubt, (uint64_t)comm->topology << 32 | (uint32_t)comm->inter);
  mpipp_filter_doubt_inputs(call, doubt);
}

// Returns whether a request may be freed or cancelled: it must not belong to a collective
// operation, and a freed one not to a receive.
static int may_be_freed(const struct mpipp_call *call, struct mpipp_doubt *doubt) {
  const MPI_Request *given = (const MPI_Request *)(uintptr_t)call->requests;
  if (!given || MPIPP_READ(mpipp_registry_several_threads)) return 1;
  const struct mpipp_request *request = mpipp_find_live(MPIPP_REQUEST, MPIPP_KEY(*given));
  if (!request || request->state != MPIPP_REQUEST_ACTIVE) return 1;
  int fine = mpipp_facts[request->call.procedure].over == MPIPP_OVER_NONE &&
             mpipp_facts[request->call.procedure].form != MPIPP_FORM_PARTITIONED;
  if (call->procedure == MPIPP_PROC_Request_free)
    fine &= !(request->call.present & MPIPP_HAS_SOURCE);
  return fine || mpipp_doubt_reason(doubt, MPIPP_OF_REQUEST, request->call.procedure);
}

// Returns whether the communicator's buffered messages are, or may be, in this attached buffer.
static int is_in_attached(const struct mpipp_call *call, const struct mpipp_attachment *attached) {
  const struct mpipp_buffer *buffer = &call->buffers[0];
  const struct mpipp_datatype *type = (const void *)(uintptr_t)buffer->record;
  uint64_t low, high;
  return attached->size > 0 && mpipp_bounds(type, buffer->address, buffer->count, &low, &high) &&
         low < attached->address + (uint64_t)attached->size && attached->address < high;
}

int mpipp_filter_fits_attached_buffer(const struct mpipp_call *call, struct mpipp_doubt *doubt) {
  const struct mpipp_attachment *attached = mpipp_recorder_attachment_for(call);
  int64_t bytes = attached ? mpipp_recorder_buffered_bytes(call) : 0;
  if (!bytes) return 1;
  uint64_t state = MPIPP_READ(attached->state);
  int64_t room = state == MPIPP_ATTACHED ? attached->size : 0;
  if (state == MPIPP_ATTACHED_AUTOMATIC) return 1;
  if (room && is_in_attached(call, attached)) {
    mpipp_doubt(doubt, call->buffers[0].address - attached->address);
    return mpipp_doubt_reason(doubt, MPIPP_OF_ROOM, (uint64_t)bytes);
  }
  int follows = attached->last + 1 == call->serial && !MPIPP_READ(mpipp_registry_several_threads) &&
                mpipp_facts[call->procedure].form <= MPIPP_FORM_NONBLOCKING;
  int fits = bytes <= room;
  if (fits && (!follows || bytes <= room - attached->used)) return 1;
  mpipp_doubt(doubt, (uint64_t)bytes << 1 | (uint64_t)fits);
  return mpipp_doubt_reason(doubt, MPIPP_OF_ROOM, (uint64_t)room);
}

// Returns whether a collective call on a file has no conflict with pending operations. The call
// conflicts with an active split call. The call also conflicts if it ends a split call that was not
// begun, or if operations are pending that must be complete.
static int has_no_file_conflict(const struct mpipp_call *call, struct mpipp_doubt *doubt) {
  const struct mpipp_facts *facts = &mpipp_facts[call->procedure];
  const struct mpipp_file *file = NULL;
  if (facts->over == MPIPP_OVER_FILE)
    file = mpipp_find_live(MPIPP_FILE, mpipp_filter_file_of(call));
  if (file && mpipp_filter_ends_on_file(call) &&
      mpipp_filter_has_any(mpipp_filter_is_on_file, mpipp_filter_file_of(call)))
    return mpipp_doubt_reason(doubt, MPIPP_OF_SPLIT, file->object.serial);
  if (!file || MPIPP_READ(file->split_doubted)) return 1;
  uint32_t begun = MPIPP_READ(file->split_pending) ? file->call.procedure : 0;
  if (facts->form == MPIPP_FORM_SPLIT_END) {
    if (begun && mpipp_facts[begun].operation == facts->operation) return 1;
  } else if (!begun) {
    return 1;
  }
  return mpipp_doubt_reason(doubt, MPIPP_OF_SPLIT, begun);
}

int mpipp_filter_has_fine_rest(const struct mpipp_call *call, const struct mpipp_comm *comm,
                               struct mpipp_doubt *doubt) {
  const uint32_t present = call->present;
  int fine = 1;
  if (present & MPIPP_HAS_GIVEN_UP) fine &= may_be_freed(call, doubt);
  if (present & MPIPP_HAS_BUFFERED) fine &= mpipp_filter_fits_attached_buffer(call, doubt);
  if (present & MPIPP_HAS_AGAIN) fine = mpipp_doubt_reason(doubt, MPIPP_OF_STATUS, 0);
  if (present & MPIPP_HAS_OP && call->buffer_count) {
    const struct mpipp_object *op = mpipp_passed_object(MPIPP_OP, call->op, doubt);
    int is_plain = op && mpipp_filter_is_plain_reduction(call, op);
    if (op && !is_plain) doubt_op(call, op, doubt);
    fine &= is_plain;
  }
  if (present & MPIPP_HAS_WIN) {
    const struct mpipp_win *win = mpipp_passed_object(MPIPP_WIN, call->win, doubt);
    fine &= win != NULL;
    if (win) fine &= is_fine_target(call, win, doubt);
    fine &= mpipp_filter_fits_target(call, doubt);
  }
  if (present & MPIPP_HAS_FILE) fine &= mpipp_passed_object(MPIPP_FILE, call->file, doubt) != NULL;
  if (present & (MPIPP_HAS_FILE | MPIPP_HAS_ARGUMENTS)) fine &= has_no_file_conflict(call, doubt);
  if (present & MPIPP_HAS_MESSAGE)
    fine &= mpipp_passed_object(MPIPP_MESSAGE, call->message, doubt) != NULL;
  if (present & MPIPP_HAS_CONSTRUCTOR) fine &= mpipp_filter_is_fine_constructor(call, doubt);
  if (present & MPIPP_HAS_TYPES) {
    (void)are_committed(call, doubt);
    doubt_view(call, doubt);
    fine = 0;
  }
  if (present & MPIPP_HAS_ARGUMENTS && !mpipp_filter_has_fine_arguments(call)) {
    doubt_arguments(call, comm, doubt);
    fine = 0;
  }
  return fine;
}
