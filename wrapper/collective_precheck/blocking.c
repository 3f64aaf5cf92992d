// SPDX-License-Identifier: MIT
// Compares blocking collective calls before MPI executes them (mpipp run --check --strict).
//
// Each process adds terms to a sum on a shadow communicator. The sum is zero if the calls agree. If
// it is not, every process is still before its call, and the watcher compares the calls.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "abi/mpi_symbols.h"
#include "collective_precheck/fingerprint.h"
#include "collective_precheck/nonblocking.h"
#include "collective_precheck/shadow_comms.h"
#include "generated/facts.h"
#include "intercept/hooks.h"
#include "intercept/rejected_calls.h"
#include "recorder/matching/channels.h"
#include "recorder/requests/completion_calls.h"
#include "registry/object_store.h"
#include "registry/registry.h"
#include "watcher_client/collective_mismatch.h"
#include "watcher_client/error_policy.h"

static _Thread_local uint64_t to_be_freed; // the shadow communicator of the object that the
                                           // thread's call frees

// Split collective calls are compared in _begin and in _end, because MPI may execute the blocking
// call in either (MPI-4.1, section 14.4.5).
static int is_compared(const struct mpipp_facts *facts) {
  return facts->over != MPIPP_OVER_NONE &&
         (facts->form == MPIPP_FORM_BLOCKING || facts->form == MPIPP_FORM_SPLIT_BEGIN ||
          facts->form == MPIPP_FORM_SPLIT_END);
}

// Cache of nonzero sums for which the watcher found no error, each hashed with its communicator.
// The rules for MPI_PACKED cannot be expressed as sums, so valid calls may have such a sum. A
// communicator's topology also matters: calls that are valid along its edges may be wrong along
// other edges.
enum { REMEMBERED = 64 };
static uint64_t right[REMEMBERED];

static uint64_t *sum_slot(uint64_t key) {
  return &right[key % REMEMBERED];
}

// A hash that identifies this process's watcher: the node's name and the watcher's socket, since a
// node may have several watchers.
static uint64_t node_identity(void) {
  const char *watcher = getenv("MPIPP_WATCH");
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  uint64_t hash = 1;
  PMPI(Get_processor_name)(name, &length);
  for (int i = 0; i < length; i++) hash = mpipp_mix(hash, (unsigned char)name[i]);
  for (; watcher && *watcher; watcher++) hash = mpipp_mix(hash, (unsigned char)*watcher);
  return hash;
}

// The number of processes on the shadow communicator that have the same watcher.
static uint32_t local_count(const struct mpipp_shadow *shadow, uint64_t own) {
  uint64_t *nodes = mpipp_registry_allocate((size_t)shadow->size * sizeof *nodes);
  uint32_t found = 0;
  int all = nodes != NULL;
  PMPI(Allreduce)(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, shadow->comm);
  if (all) PMPI(Allgather)(&own, 1, MPI_UINT64_T, nodes, 1, MPI_UINT64_T, shadow->comm);
  for (int i = 0; all && i < shadow->size; i++) found += nodes[i] == own;
  mpipp_registry_free(nodes);
  return found;
}

// Asks the watcher, and shares its answer with all processes: MPI's error class for the finding, or
// MPI_SUCCESS. refused: the error class if this process's own call is already known to be wrong.
static int ask(const struct mpipp_call *call, const struct mpipp_shadow *shadow, uint64_t sum,
               int refused) {
  static uint64_t asked = 0;
  uint64_t own = node_identity(), key = mpipp_mix(sum, shadow->identity);
  uint64_t *known = sum_slot(key);
  int of_any[2] = {MPIPP_READ(*known) != key, refused}, found;
  PMPI(Allreduce)(MPI_IN_PLACE, of_any, 2, MPI_INT, MPI_MAX, shadow->comm);
  if (of_any[1]) return refused ? refused : of_any[1];
  if (!of_any[0]) return MPI_SUCCESS;
  struct mpipp_disagreeing question = {.pid = mpipp_registry.pid,
                                       .tid = mpipp_thread_of(call)->tid,
                                       .identity = shadow->identity,
                                       .here = local_count(shadow, own),
                                       .processes = (uint32_t)shadow->size};
  question.number = mpipp_mix(mpipp_mix(own, mpipp_registry.pid),
                              __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED));
  PMPI(Bcast)(&question.number, 1, MPI_UINT64_T, 0, shadow->comm);
  found = mpipp_watcher_ask_disagreement(&question);
  PMPI(Allreduce)(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_MAX, shadow->comm);
  if (found == MPI_SUCCESS) MPIPP_WRITE(*known, key);
  return found;
}

// The term of a call. A call with an error in its own arguments gets a term that makes the sum
// nonzero.
static uint64_t term_of(const struct mpipp_call *call, const struct mpipp_shadow *shadow,
                        int refused) {
  struct mpipp_position position = {shadow->rank, shadow->size, shadow->inter};
  if (refused) return mpipp_mix(mpipp_mix(1, (uint64_t)refused), (uint64_t)shadow->rank);
  return mpipp_fold_terms(mpipp_precheck_terms_of(call, position));
}

static int compare(const struct mpipp_call *call, const struct mpipp_shadow *shadow, int refused) {
  uint64_t term = term_of(call, shadow, refused), sum = 0;
  int code = PMPI(Allreduce)(&term, &sum, 1, MPI_UINT64_T, MPI_SUM, shadow->comm);
  if (MPIPP_LIKELY(code != MPI_SUCCESS || !sum)) return refused;
  return ask(call, shadow, sum, refused);
}

static int ends(const struct mpipp_call *call) {
  switch (call->procedure) {
  case MPIPP_PROC_Comm_free:
  case MPIPP_PROC_Comm_disconnect:
  case MPIPP_PROC_Win_free:
  case MPIPP_PROC_File_close:
    return 1;
  default:
    return 0;
  }
}

// Returns whether processes do not wait for each other in the call.
static int is_nonblocking(const struct mpipp_facts *facts) {
  return facts->over != MPIPP_OVER_NONE &&
         (facts->form == MPIPP_FORM_NONBLOCKING || facts->form == MPIPP_FORM_PERSISTENT);
}

static void test_pending(uint32_t procedure) {
  if (mpipp_precheck_test_pending_sums(mpipp_waits_for_requests(procedure)) &&
      mpipp_watcher_on_error == MPIPP_ABORT)
    mpipp_intercept_end_job();
}

// Waits up to two seconds for the remaining sums. The sums complete soon if all processes have
// started their operations; in a wrong program some have not.
static void finish(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  for (time_t until = now.tv_sec + 2;
       mpipp_precheck_nonblocking_is_pending() && now.tv_sec < until;) {
    test_pending(MPIPP_PROC_Wait);
    clock_gettime(CLOCK_MONOTONIC, &now);
  }
}

// Reports only once for each process that calls are not compared.
static void report_missing_shadow(void) {
  static int told = 0;
  if (!MPIPP_READ(told) && !__atomic_exchange_n(&told, 1, __ATOMIC_ACQ_REL))
    mpipp_watcher_report_uncompared_calls(mpipp_registry.pid);
}

// MPI's error class if the call must not begin, in this or in another process; else MPI_SUCCESS.
static int find_disagreement(const struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  const int refused = passage->refused;
  if (!is_compared(&mpipp_facts[call->procedure]) || mpipp_precheck_shadows_are_off())
    return refused;
  mpipp_precheck_shadow_make_in_call(passage);
  const struct mpipp_shadow shadow = mpipp_precheck_shadow_of(passage);
  if (shadow.missing) report_missing_shadow();
  if (shadow.comm == MPI_COMM_NULL) return refused;
  int found = compare(call, &shadow, refused);
  if (ends(call)) to_be_freed = (uint64_t)(uintptr_t)shadow.comm;
  return mpipp_watcher_on_error == MPIPP_REPORT ? MPI_SUCCESS : found;
}

static int enter(struct mpipp_passage *passage) {
  to_be_freed = 0;
  if (passage->call->procedure == MPIPP_PROC_Finalize) finish();
  int found = find_disagreement(passage);
  return found ? mpipp_intercept_refuse(passage, found) : MPIPP_GO_ON;
}

static void leave(struct mpipp_passage *passage) {
  uint64_t shadow = to_be_freed;
  to_be_freed = 0;
  if (passage->code != MPI_SUCCESS) return;
  if (shadow)
    mpipp_precheck_shadow_free((MPI_Comm)(uintptr_t)shadow);
  else if (!ends(passage->call))
    mpipp_precheck_shadow_make(passage);
  uint32_t procedure = passage->call->procedure;
  const struct mpipp_facts *facts = &mpipp_facts[procedure];
  if (mpipp_completes_requests(procedure) || is_compared(facts)) return test_pending(procedure);
  if (!is_nonblocking(facts) || mpipp_precheck_shadows_are_off()) return;
  const struct mpipp_shadow of = mpipp_precheck_shadow_of(passage);
  if (of.missing) report_missing_shadow();
  if (of.comm != MPI_COMM_NULL) mpipp_precheck_nonblocking_begin(passage, &of);
}

__attribute__((constructor)) static void hook_in(void) {
  static struct mpipp_hook hook = {.enter = enter, .leave = leave};
  const char *strict = getenv("MPIPP_STRICT");
  if (strict && getenv("MPIPP_WATCH")) mpipp_hook_in(&hook);
}
