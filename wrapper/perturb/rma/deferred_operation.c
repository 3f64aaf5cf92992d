// SPDX-License-Identifier: MIT
#include "perturb/rma/deferred_operation.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "abi/library_version.h"
#include "abi/mpi_symbols.h"
#include "generated/facts.h"
#include "registry/object_store.h"

static const int64_t most = (int64_t)1 << 30; // largest copy, in bytes

int mpipp_perturb_accumulates(unsigned operation) {
  return operation == MPIPP_PROC_Accumulate || operation == MPIPP_PROC_Get_accumulate ||
         operation == MPIPP_PROC_Fetch_and_op || operation == MPIPP_PROC_Compare_and_swap;
}

static const struct mpipp_datatype *type_of(const struct mpipp_buffer *buffer) {
  return (const void *)(uintptr_t)buffer->record;
}

// With MPI_NO_OP the origin's arguments are not significant.
static int is_ignored(const struct mpipp_call *call, uint32_t i) {
  return call->present & MPIPP_HAS_OP && call->op == MPIPP_KEY(MPI_NO_OP) &&
         call->buffers[i].access == MPIPP_READS;
}

static int is_fine(const struct mpipp_buffer *buffer) {
  const struct mpipp_datatype *type = type_of(buffer);
  int usable = MPIPP_FLAG_PREDEFINED | MPIPP_FLAG_COMMITTED;
  return type && !(buffer->access & MPIPP_STALE) && MPIPP_READ(type->object.flags) & usable &&
         !(type->object.flags & MPIPP_FLAG_NULL) && buffer->count >= 0 && buffer->count <= INT_MAX;
}

// Returns whether the target is in an access epoch of this process.
static int is_in_epoch(const struct mpipp_win *win, int64_t target) {
  uint64_t epochs = MPIPP_READ(win->epochs);
  if (epochs & (MPIPP_EPOCH_FENCE | MPIPP_EPOCH_START | MPIPP_EPOCH_LOCK_ALL)) return 1;
  if (!(epochs & MPIPP_EPOCH_LOCK)) return 0;
  for (uint32_t i = 0; i < win->known_locks; i++)
    if (win->lock_ranks[i] == target) return 1;
  return win->lock_count > win->known_locks;
}

int mpipp_perturb_can_be_deferred(const struct mpipp_call *call) {
  if (!(call->present & MPIPP_HAS_WIN) || !(call->present & MPIPP_HAS_TARGET_RANK) ||
      call->buffer_count < 2 || call->target_rank < 0)
    return 0;
  const struct mpipp_win *win = mpipp_find_live(MPIPP_WIN, call->win);
  if (!win || !is_in_epoch(win, call->target_rank)) return 0;
  if (call->present & MPIPP_HAS_REQUESTS && !call->requests) return 0;
  for (uint32_t i = 0; i < call->buffer_count; i++)
    if (!is_ignored(call, i) && !is_fine(&call->buffers[i])) return 0;
  return 1;
}

static void drop(struct mpipp_argument *argument) {
  if (argument->is_kept) PMPI(Type_free)(&argument->type);
  free(argument->copy);
}

void mpipp_perturb_deferred_free(struct mpipp_deferred_operation *one) {
  drop(&one->origin);
  drop(&one->compare);
  drop(&one->result);
  drop(&one->place);
  mpipp_perturb_cuts_free(one->cuts);
  free(one);
}

// The number of bytes from the first to the last; -1 if it is unknown.
static int64_t span(const struct mpipp_datatype *type, int64_t count) {
  int64_t found;
  if (count <= 0 || type->size <= 0) return 0;
  if (type->extent < 0 || type->true_extent <= 0) return -1;
  if (__builtin_mul_overflow(count - 1, type->extent, &found)) return -1;
  return found > most || type->true_extent > most - found ? -1 : found + type->true_extent;
}

static int keep(struct mpipp_argument *argument, const struct mpipp_buffer *buffer,
                uint64_t address) {
  const struct mpipp_datatype *type = type_of(buffer);
  *argument = (struct mpipp_argument){.address = (const void *)(uintptr_t)address,
                                      .count = (int)buffer->count,
                                      .type = (MPI_Datatype)(uintptr_t)buffer->datatype,
                                      .low = type->true_lb,
                                      .span = span(type, buffer->count)};
  if (MPIPP_READ(type->object.flags) & MPIPP_FLAG_PREDEFINED) return 1;
  if (PMPI(Type_contiguous)(1, argument->type, &argument->type) != MPI_SUCCESS) return 0;
  argument->is_kept = 1;
  return PMPI(Type_commit)(&argument->type) == MPI_SUCCESS;
}

static int keep_all(struct mpipp_deferred_operation *one, const struct mpipp_passage *passage,
                    const struct mpipp_buffer *sides[MPIPP_SIDES]) {
  const struct mpipp_call *call = passage->call;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    const struct mpipp_buffer *buffer = &call->buffers[i];
    struct mpipp_argument *argument = &one->origin;
    enum mpipp_side side = MPIPP_ORIGIN;
    if (is_ignored(call, i)) continue;
    if (buffer->access & MPIPP_REMOTE)
      argument = &one->place, side = MPIPP_TARGET;
    else if (buffer->access & MPIPP_WRITES && call->buffer_count > 2)
      argument = &one->result, side = MPIPP_RESULT;
    else if (i == 1 && one->operation == MPIPP_PROC_Compare_and_swap)
      argument = &one->compare;
    if (argument != &one->compare) sides[side] = buffer;
    if (!keep(argument, buffer, passage->addresses[i])) return 0;
  }
  one->disp = (MPI_Aint)(uintptr_t)one->place.address;
  if (!sides[MPIPP_ORIGIN])
    one->origin.type = one->place.type; // MPI may check an unused argument,
                                        // too
  return 1;
}

// Functions of the generalized request that stands for the operation. RMA operations have no
// status.
static int query(void *state, MPI_Status *status) {
  (void)state;
  PMPI(Status_set_elements)(status, MPI_BYTE, 0);
  PMPI(Status_set_cancelled)(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int release(void *state) {
  (void)state;
  return MPI_SUCCESS;
}
static int cancel(void *state, int complete) {
  (void)state, (void)complete;
  return MPI_SUCCESS;
}

// Returns whether the operation may be split, despite known errors of MPI libraries. MPICH 4.0
// continues before such gets are complete, except in MPI_Win_flush. Open MPI ignores the lower
// bound of a derived datatype.
static int can_be_cut(const struct mpipp_deferred_operation *one) {
#ifdef MPIPP_FOR_OPENMPI
  if (one->operation == MPIPP_PROC_Get_accumulate) return 0;
#else
  const struct mpipp_win *win = mpipp_find_live(MPIPP_WIN, one->win);
  if (one->fetches && win && mpipp_abi_completes_gets_early() &&
      !(MPIPP_READ(win->epochs) & (MPIPP_EPOCH_LOCK | MPIPP_EPOCH_LOCK_ALL)))
    return 0;
#endif
  return one->operation != MPIPP_PROC_Fetch_and_op && one->operation != MPIPP_PROC_Compare_and_swap;
}

struct mpipp_deferred_operation *mpipp_perturb_deferred_new(const struct mpipp_passage *passage,
                                                            int splits) {
  const struct mpipp_call *call = passage->call;
  const struct mpipp_buffer *sides[MPIPP_SIDES] = {NULL};
  struct mpipp_deferred_operation *one = calloc(1, sizeof *one);
  if (!one) return NULL;
  one->at = *mpipp_perturb_call_site();
  one->win = call->win;
  one->target = (int)call->target_rank;
  one->operation = mpipp_facts[call->procedure].operation;
  one->accumulates = mpipp_perturb_accumulates(one->operation);
  one->fetches = one->operation != MPIPP_PROC_Put && one->operation != MPIPP_PROC_Accumulate;
  one->op = call->present & MPIPP_HAS_OP ? (MPI_Op)(uintptr_t)call->op : MPI_OP_NULL;
  int fine = keep_all(one, passage, sides);
  if (fine && splits && can_be_cut(one))
    one->cuts = mpipp_perturb_cuts_new(sides, one->accumulates);
  if (fine && call->present & MPIPP_HAS_REQUESTS) {
    one->is_request = 1;
    fine = PMPI(Grequest_start)(query, release, cancel, NULL, &one->request) == MPI_SUCCESS;
  }
  if (fine) return one;
  mpipp_perturb_deferred_free(one);
  return NULL;
}

static int is_equal(const struct mpipp_argument *argument, const struct mpipp_buffer *buffer,
                    uint64_t address) {
  return !argument->is_kept && (uintptr_t)argument->address == address &&
         argument->count == buffer->count && MPIPP_KEY(argument->type) == buffer->datatype;
}

int mpipp_perturb_is_repeated(const struct mpipp_deferred_operation *one,
                              const struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  return one->operation == MPIPP_PROC_Get && !one->is_request &&
         mpipp_facts[call->procedure].operation == MPIPP_PROC_Get &&
         !(call->present & MPIPP_HAS_REQUESTS) && one->win == call->win &&
         one->target == call->target_rank &&
         is_equal(&one->origin, &call->buffers[0], passage->addresses[0]) &&
         is_equal(&one->place, &call->buffers[1], passage->addresses[1]);
}

static int copy(struct mpipp_argument *argument) {
  if (argument->copy || !argument->span) return 1;
  if (argument->span < 0 || !(argument->copy = malloc((size_t)argument->span))) return 0;
  memcpy(argument->copy, (const char *)argument->address + argument->low, (size_t)argument->span);
  argument->address = (const char *)argument->copy - argument->low;
  return 1;
}

int mpipp_perturb_deferred_copy(struct mpipp_deferred_operation *one) {
  return copy(&one->origin) && copy(&one->compare);
}

void mpipp_perturb_deferred_release(struct mpipp_deferred_operation *one) {
  if (!one->is_request) return;
  one->is_request = 0;
  PMPI(Grequest_complete)(one->request);
}

// Gathers the runs of one part on one side. The runs' offsets begin at the buffer's address.
static int gather_runs(const struct mpipp_cuts *cuts, uint32_t number, enum mpipp_side side,
                       MPI_Datatype *type) {
  const struct mpipp_run *runs = &cuts->runs[cuts->first[number]];
  int count = (int)(cuts->first[number + 1] - cuts->first[number]), code = MPI_ERR_NO_MEM;
  int *lengths = malloc((size_t)count * sizeof *lengths);
  MPI_Aint *places = malloc((size_t)count * sizeof *places);
  for (int i = 0; lengths && places && i < count; i++) {
    lengths[i] = (int)(runs[i].bytes / cuts->unit_bytes);
    places[i] = (MPI_Aint)runs[i].at[side];
  }
  if (lengths && places)
    code = PMPI(Type_create_hindexed)(count, lengths, places, cuts->unit, type);
  free(lengths);
  free(places);
  return code == MPI_SUCCESS ? PMPI(Type_commit)(type) : code;
}

// The argument that MPI gets for one part. MPI multiplies displacements at the target by the
// window's unit, so the remaining bytes are part of a datatype. Returns MPI's code.
static int cut_of(struct mpipp_argument *argument, const struct mpipp_cuts *cuts, int number,
                  enum mpipp_side side) {
  if (number < 0 || (!argument->count && !argument->address && side != MPIPP_TARGET))
    return MPI_SUCCESS;
  const struct mpipp_run *run = &cuts->runs[cuts->first[number]];
  int is_one = cuts->first[number + 1] - cuts->first[number] == 1;
  if (is_one && (side != MPIPP_TARGET || !run->at[side])) {
    *argument = (struct mpipp_argument){.address = (const char *)argument->address + run->at[side],
                                        .count = (int)(run->bytes / cuts->unit_bytes),
                                        .type = cuts->unit};
    return MPI_SUCCESS;
  }
  *argument = (struct mpipp_argument){.address = argument->address, .count = 1};
  int code = gather_runs(cuts, (uint32_t)number, side, &argument->type);
  argument->is_kept = code == MPI_SUCCESS;
  return code;
}

static int hand_over(const struct mpipp_deferred_operation *one, const struct mpipp_argument *in,
                     const struct mpipp_argument *out, const struct mpipp_argument *to) {
  MPI_Win win = (MPI_Win)(uintptr_t)one->win;
  int rank = one->target;
  switch (one->operation) {
  case MPIPP_PROC_Put:
    return PMPI(Put)(in->address, in->count, in->type, rank, one->disp, to->count, to->type, win);
  case MPIPP_PROC_Get:
    return PMPI(Get)((void *)in->address, in->count, in->type, rank, one->disp, to->count, to->type,
                     win);
  case MPIPP_PROC_Accumulate:
    return PMPI(Accumulate)(in->address, in->count, in->type, rank, one->disp, to->count, to->type,
                            one->op, win);
  case MPIPP_PROC_Get_accumulate:
    return PMPI(Get_accumulate)(in->address, in->count, in->type, (void *)out->address, out->count,
                                out->type, rank, one->disp, to->count, to->type, one->op, win);
  case MPIPP_PROC_Fetch_and_op:
    return PMPI(Fetch_and_op)(in->address, (void *)out->address, out->type, rank, one->disp,
                              one->op, win);
  default:
    return PMPI(Compare_and_swap)(in->address, one->compare.address, (void *)out->address,
                                  out->type, rank, one->disp, win);
  }
}

int mpipp_perturb_deferred_hand_over(const struct mpipp_deferred_operation *one, int cut) {
  struct mpipp_argument all[MPIPP_SIDES] = {one->origin, one->result, one->place};
  int code = MPI_SUCCESS;
  for (int i = 0; i < MPIPP_SIDES; i++)
    all[i].is_kept = 0; // this part's datatypes do not need the
                        // kept ones
  for (int i = 0; i < MPIPP_SIDES && code == MPI_SUCCESS; i++)
    code = cut_of(&all[i], one->cuts, cut, (enum mpipp_side)i);
  if (code == MPI_SUCCESS)
    code = hand_over(one, &all[MPIPP_ORIGIN], &all[MPIPP_RESULT], &all[MPIPP_TARGET]);
  for (int i = 0; i < MPIPP_SIDES; i++)
    if (all[i].is_kept) PMPI(Type_free)(&all[i].type);
  return code;
}
