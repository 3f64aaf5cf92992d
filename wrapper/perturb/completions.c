// SPDX-License-Identifier: MIT
#include "perturb/completions.h"

#include <stdlib.h>
#include <string.h>

#include "abi/mpi_symbols.h"
#include "generated/facts.h"
#include "perturb/random.h"
#include "perturb/statistics.h"
#include "perturb/substituted_requests.h"
#include "registry/object_store.h"

enum {
  MOST_DENIED = 3, // largest number of consecutive denied calls of a thread, so that polling loops
                   // end
  POLLS = 200,
  FEW = 64,
};

static _Thread_local int denied;
static int has_found; // 1: a probe has found a message that was not received since

int mpipp_perturb_denies(void) {
  if (denied < MOST_DENIED && mpipp_perturb_chance(2)) {
    denied++;
    mpipp_perturb_note_call(MPIPP_WAY_DENIED);
    return 1;
  }
  denied = 0;
  return 0;
}

// Returns whether the operation is certainly active. An active operation may be reported as
// incomplete, and a test of it calls no function of the program.
static int is_active(MPI_Request handle) {
  const struct mpipp_request *request = mpipp_find_live(MPIPP_REQUEST, MPIPP_KEY(handle));
  return request && MPIPP_READ(request->state) == MPIPP_REQUEST_ACTIVE &&
         request->call.present & MPIPP_HAS_COMM;
}

// The handles of a call in another order: the handles that MPI gets, and their original positions.
struct mpipp_completions_order {
  int count;
  MPI_Request *handles, *program;
  int *from;
  MPI_Request few_handles[FEW];
  int few_from[FEW];
};

static int order_begin(struct mpipp_completions_order *order, const struct mpipp_call *call) {
  order->count = (int)call->request_count;
  order->program = (MPI_Request *)(uintptr_t)call->requests;
  order->handles = order->few_handles;
  order->from = order->few_from;
  if (!order->program || order->count < 1) return 0;
  if (order->count <= FEW) return 1;
  order->handles = malloc((size_t)order->count * sizeof *order->handles);
  order->from = malloc((size_t)order->count * sizeof *order->from);
  if (order->handles && order->from) return 1;
  free(order->handles);
  free(order->from);
  return 0;
}

static void order_end(struct mpipp_completions_order *order) {
  if (order->count <= FEW) return;
  free(order->handles);
  free(order->from);
}

static void keep_order(struct mpipp_completions_order *order) {
  for (int i = 0; i < order->count; i++) {
    order->from[i] = i;
    order->handles[i] = order->program[i];
  }
}

static void change_order(struct mpipp_completions_order *order) {
  if (order->count > 1) mpipp_perturb_note_call(MPIPP_WAY_SHUFFLED);
  for (int i = 0; i < order->count; i++) {
    int k = (int)mpipp_perturb_chance((uint64_t)i + 1);
    order->from[i] = order->from[k];
    order->from[k] = i;
  }
  for (int i = 0; i < order->count; i++) order->handles[i] = order->program[order->from[i]];
}

// Takes over MPI's result for the i-th handle that MPI got.
static void take_result(const struct mpipp_completions_order *order, int i) {
  int from = order->from[i];
  MPI_Request before = order->program[from];
  order->program[from] = order->handles[i];
  mpipp_perturb_substitute_complete(before, &order->program[from]);
  order->handles[i] = order->program[from]; // if the loop tests again, MPI gets the handle that it
                                            // has reset, and does not report this completion twice
}

// After an error: takes over the results for handles that MPI reports as complete, or has reset.
static void take_results_despite(const struct mpipp_completions_order *order, int code,
                                 const MPI_Status *statuses) {
  for (int i = 0; i < order->count; i++) {
    MPI_Request before = order->program[order->from[i]];
    int said = code == MPI_ERR_IN_STATUS && statuses && statuses[i].MPI_ERROR != MPI_ERR_PENDING;
    if (said || order->handles[i] != before) take_result(order, i);
  }
}

// Waits for one chosen operation before others are tested, so that it is the one that completes.
// Not for persistent requests, which MPICH 5 treats as inactive after such a wait.
static void wait_for_chosen(const struct mpipp_completions_order *order) {
  MPI_Request chosen = order->handles[0];
  const struct mpipp_request *request = mpipp_find_live(MPIPP_REQUEST, MPIPP_KEY(chosen));
  int flag = 0;
  if (!is_active(chosen) || !request || request->persistent ||
      mpipp_perturb_substitute_state(chosen) & MPIPP_SUBSTITUTE_LATE)
    return;
  for (int i = 0; i < POLLS && !flag; i++) {
    MPI_Status status;
    if (PMPI(Request_get_status)(chosen, &flag, &status) != MPI_SUCCESS) return;
  }
}

// Returns whether all operations may be reported as incomplete, because the program cannot know of
// their completion.
static int may_deny(const struct mpipp_completions_order *order) {
  int active = 0;
  for (int i = 0; i < order->count; i++) {
    if (order->handles[i] == MPI_REQUEST_NULL) continue;
    if (!is_active(order->handles[i])) return 0;
    active++;
  }
  return active > 0;
}

// Finds an operation that the program already knows to be complete, because it has tested it: then
// that one must be reported. Returns its index; -1 if there is none.
static int find_completed(const struct mpipp_completions_order *order) {
  for (int i = 0; i < order->count; i++)
    if (mpipp_perturb_substitute_state(order->handles[i]) ==
        (MPIPP_SUBSTITUTE_LATE | MPIPP_SUBSTITUTE_REPORTED))
      return i;
  return -1;
}

static MPI_Status *statuses_of(const struct mpipp_passage *passage) {
  return passage->status ? passage->status : MPI_STATUSES_IGNORE;
}

static int wait_single(struct mpipp_passage *passage, struct mpipp_completions_order *order) {
  MPI_Request before = order->program[0];
  passage->code = PMPI(Wait)(&order->handles[0], passage->status);
  if (passage->code == MPI_SUCCESS || order->handles[0] != before || is_active(before))
    take_result(order, 0);
  return MPIPP_DONE;
}

static int test_single(struct mpipp_passage *passage, struct mpipp_completions_order *order) {
  MPI_Request before = order->program[0];
  passage->code = PMPI(Test)(&order->handles[0], passage->flag, passage->status);
  if (passage->code == MPI_SUCCESS ? *passage->flag : order->handles[0] != before)
    take_result(order, 0);
  return MPIPP_DONE;
}

static int complete_all(struct mpipp_passage *passage, struct mpipp_completions_order *order,
                        int tests) {
  MPI_Status *statuses = statuses_of(passage);
  int flag = 1;
  passage->code = tests ? PMPI(Testall)(order->count, order->handles, &flag, statuses)
                        : PMPI(Waitall)(order->count, order->handles, statuses);
  if (tests) *passage->flag = flag;
  if (passage->code != MPI_SUCCESS)
    take_results_despite(order, passage->code, passage->status);
  else
    for (int i = 0; flag && i < order->count; i++) take_result(order, i);
  return MPIPP_DONE;
}

static int complete_any(struct mpipp_passage *passage, struct mpipp_completions_order *order,
                        int tests) {
  int index = MPI_UNDEFINED, flag = 1;
  MPI_Status *status = passage->status;
  change_order(order);
  wait_for_chosen(order);
  if ((index = find_completed(order)) >= 0)
    passage->code = PMPI(Wait)(&order->handles[index], status);
  else
    passage->code = tests ? PMPI(Testany)(order->count, order->handles, &index, &flag, status)
                          : PMPI(Waitany)(order->count, order->handles, &index, status);
  if (tests) *passage->flag = flag;
  int known = flag && index >= 0 && index < order->count;
  *passage->index = known ? order->from[index] : MPI_UNDEFINED;
  if (known) take_result(order, index);
  if (passage->code != MPI_SUCCESS) take_results_despite(order, passage->code, NULL);
  return MPIPP_DONE;
}

static int complete_some(struct mpipp_passage *passage, struct mpipp_completions_order *order,
                         int tests) {
  MPI_Status *statuses = statuses_of(passage);
  int *indices = passage->index, count = MPI_UNDEFINED, tried = (int)mpipp_perturb_chance(2), total;
  change_order(order);
  wait_for_chosen(order);
  int known = find_completed(order);
  if (known >= 0) {
    passage->code = PMPI(Wait)(&order->handles[known], passage->status);
    take_result(order, known);
    indices[0] = order->from[known];
    *passage->outcount = 1;
    return MPIPP_DONE;
  }
  // Reports only one, or some, of the complete operations.
  total = tried ? 1 + (int)mpipp_perturb_chance((uint64_t)order->count) : 0;
  if (tried) passage->code = PMPI(Testsome)(total, order->handles, &count, indices, statuses);
  if (!tried || (passage->code == MPI_SUCCESS && (count == MPI_UNDEFINED || count == 0)))
    passage->code = tests ? PMPI(Testsome)(order->count, order->handles, &count, indices, statuses)
                          : PMPI(Waitsome)(order->count, order->handles, &count, indices, statuses);
  *passage->outcount = count;
  if (passage->code != MPI_SUCCESS && passage->code != MPI_ERR_IN_STATUS) {
    take_results_despite(order, passage->code, NULL);
    return MPIPP_DONE;
  }
  for (int i = 0; count != MPI_UNDEFINED && i < count; i++) {
    int index = indices[i];
    take_result(order, index);
    indices[i] = order->from[index];
  }
  return MPIPP_DONE;
}

static int complete(struct mpipp_passage *passage, struct mpipp_completions_order *order) {
  unsigned procedure = passage->call->procedure;
  int tests = passage->flag != NULL || procedure == MPIPP_PROC_Testsome;
  if (tests && may_deny(order) && mpipp_perturb_denies()) {
    if (passage->flag) *passage->flag = 0;
    if (passage->outcount) *passage->outcount = 0;
    if (procedure == MPIPP_PROC_Testany) *passage->index = MPI_UNDEFINED;
    passage->code = MPI_SUCCESS;
    return MPIPP_DONE;
  }
  switch (procedure) {
  case MPIPP_PROC_Wait:
    return wait_single(passage, order);
  case MPIPP_PROC_Test:
    return test_single(passage, order);
  case MPIPP_PROC_Waitall:
  case MPIPP_PROC_Testall:
    return complete_all(passage, order, tests);
  case MPIPP_PROC_Waitany:
  case MPIPP_PROC_Testany:
    return complete_any(passage, order, tests);
  default:
    return complete_some(passage, order, tests);
  }
}

// Returns whether the call has all arguments that it needs. If not, MPI reports the error.
static int is_whole(const struct mpipp_passage *passage) {
  if (!passage->status && !passage->own_statuses) return 0;
  switch (passage->call->procedure) {
  case MPIPP_PROC_Wait:
  case MPIPP_PROC_Waitall:
    return 1;
  case MPIPP_PROC_Test:
  case MPIPP_PROC_Testall:
    return passage->flag != NULL;
  case MPIPP_PROC_Waitany:
    return passage->index != NULL;
  case MPIPP_PROC_Testany:
    return passage->index && passage->flag;
  case MPIPP_PROC_Waitsome:
  case MPIPP_PROC_Testsome:
    return passage->index && passage->outcount;
  default:
    return 0;
  }
}

void mpipp_perturb_note_probe(int found) {
  MPIPP_WRITE(has_found, found);
}

// A message that a probe has found must be found again, until a message is received.
static int probe(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  int flag = 0;
  MPI_Status status;
  if (!passage->flag || !passage->status || MPIPP_READ(has_found)) return MPIPP_GO_ON;
  if (call->procedure == MPIPP_PROC_Improbe && !passage->handle) return MPIPP_GO_ON;
  if (!mpipp_perturb_denies()) return MPIPP_GO_ON;
  passage->code = PMPI(Iprobe)((int)call->source, (int)call->tag, (MPI_Comm)(uintptr_t)call->comm,
                               &flag, &status); // the call still reports errors, and lets
                                                // operations progress
  if (passage->code == MPI_SUCCESS) *passage->flag = 0;
  return MPIPP_DONE;
}

int mpipp_perturb_complete(struct mpipp_passage *passage) {
  struct mpipp_completions_order order;
  unsigned procedure = passage->call->procedure;
  if (procedure == MPIPP_PROC_Iprobe || procedure == MPIPP_PROC_Improbe) return probe(passage);
  if (!is_whole(passage) || !order_begin(&order, passage->call)) return MPIPP_GO_ON;
  keep_order(&order);
  int verdict = complete(passage, &order);
  order_end(&order);
  return verdict;
}
