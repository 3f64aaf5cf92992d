// SPDX-License-Identifier: MIT
// Legal but adversarial schedules (mpipp run --provoke). MPI is allowed to do all these things, but
// rarely does them. So errors that depend on them become visible. The results of a correct program
// never change.
//
// There are two hooks. The first enters before all that may block, and starts deferred operations.
// The second is next to MPI, and calls it in another way than the program did.
#include <stddef.h>
#include <stdlib.h>

#include "abi/mpi_symbols.h"
#include "buffer_guard/operations/owned_bytes.h"
#include "buffer_guard/reporting/accesses.h"
#include "generated/facts.h"
#include "intercept/hooks.h"
#include "perturb/collectives.h"
#include "perturb/completions.h"
#include "perturb/partitions.h"
#include "perturb/random.h"
#include "perturb/sends.h"
#include "perturb/staging_buffers.h"
#include "perturb/statistics.h"
#include "perturb/substituted_requests.h"
#include "registry/object_store.h"
#include "registry/registry.h"

// The guard's order is 1000. So the second hook defers or replaces the buffers that the guard
// passes to MPI.
enum { FIRST = MPIPP_FILTER_ORDER / 2, LAST = 2000, ON_TIME_IN = 16 };

// The state of the thread's call.
static _Thread_local int is_late; // 1: its operation is started later
static _Thread_local int makes;   // 1: it is replaced by a persistent collective operation
static _Thread_local int starts;  // 1: it starts persistent operations
static _Thread_local int marks;   // 1: it marks partitions as ready
static _Thread_local struct mpipp_substitute *posting;

// The recorded procedures that are local, and the unrecorded ones that are not
// (generator/locality.py).
static const char is_local[MPIPP_PROCEDURES] = {
#define LOCAL(NAME) [MPIPP_PROC_##NAME] = 1,
#define MARKED(NAME)
#include "generated/locality.inc"
#undef LOCAL
#undef MARKED
};
static const char may_synchronize[MPIPP_PROCEDURES] = {
#define LOCAL(NAME)
#define MARKED(NAME) [MPIPP_PROC_##NAME] = 1,
#include "generated/locality.inc"
};

// The former value of mpipp_intercept_before_unrecorded.
static int (*others_before_unrecorded)(unsigned procedure);
static int before_unrecorded_call(unsigned procedure) {
  const struct mpipp_at by = {0, procedure};
  int code = others_before_unrecorded ? others_before_unrecorded(procedure) : MPI_SUCCESS;
  if (code == MPI_SUCCESS && may_synchronize[procedure]) mpipp_perturb_substitute_start(&by);
  return code;
}

// The program frees a request while MPI receives into other memory than its buffer. So the request
// is kept and tested, until the data has been copied.
static int give_up(struct mpipp_passage *passage) {
  MPI_Request *request = (MPI_Request *)(uintptr_t)passage->call->requests;
  struct mpipp_substitute *held = request ? mpipp_perturb_substitute_take(*request) : NULL;
  if (!held) return MPIPP_GO_ON;
  if (held->is_persistent && !held->is_receiving) mpipp_perturb_stages_drop(held->stages);
  if (held->is_late || !held->stages || (held->is_persistent && !held->is_receiving)) {
    free(held); // it is started or complete, or inactive
    return MPIPP_GO_ON;
  }
  mpipp_perturb_substitute_abandon(held);
  *request = MPI_REQUEST_NULL;
  passage->code = MPI_SUCCESS;
  return MPIPP_DONE;
}

static int enter_first(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  mpipp_perturb_chance_begin(call->procedure);
  makes = mpipp_perturb_can_defer_collective(call);
  starts = mpipp_perturb_can_defer_start(call);
  marks = mpipp_perturb_can_defer_ready(call);
  int can_be_late = makes || starts || marks || mpipp_perturb_can_defer_send(call);
  is_late = can_be_late && mpipp_perturb_chance(ON_TIME_IN);
  mpipp_perturb_note_place(call);
  if (can_be_late) mpipp_perturb_note_call(is_late ? MPIPP_WAY_CALLED : MPIPP_WAY_AT_ONCE);
  if (MPIPP_UNLIKELY(MPIPP_READ(mpipp_guard_faults_count)))
    mpipp_guard_report_accesses(call); // before any deferred operation is started
  if (!is_late && !is_local[call->procedure])
    mpipp_perturb_substitute_start(mpipp_perturb_call_site());
  mpipp_perturb_substitute_test_orphans();
  mpipp_perturb_reset_partitions(call);
  if (call->procedure == MPIPP_PROC_Request_free) return give_up(passage);
  return MPIPP_GO_ON;
}

// Lets MPI receive into other memory, which the program cannot notice before the operation is
// complete. If another hook has replaced the buffer, nothing is done: the program's buffer then has
// that hook's fill pattern.
static void post(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  unsigned form = mpipp_facts[call->procedure].form;
  int is_persistent = form == MPIPP_FORM_PERSISTENT;
  if ((form != MPIPP_FORM_NONBLOCKING && !is_persistent) || !call->requests ||
      !(call->present & (MPIPP_HAS_COMM | MPIPP_HAS_MESSAGE)))
    return;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    if (!(call->buffers[i].access & MPIPP_WRITES) || !mpipp_guard_uses_buffer(call, i)) continue;
    if (passage->addresses[i] != call->buffers[i].address) continue;
    if (!posting && !(posting = calloc(1, sizeof *posting))) return;
    struct mpipp_stage *stage = mpipp_perturb_stage_new(call, i, passage->addresses[i]);
    if (!stage) continue;
    posting->is_persistent = is_persistent;
    if (!is_persistent) mpipp_perturb_stages_take(stage);
    passage->addresses[i] = (uintptr_t)stage->memory;
    stage->next = posting->stages;
    posting->stages = stage;
  }
}

// All processes create the persistent operation, and each starts it at its own time.
static int make_collective(struct mpipp_passage *passage) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (!posting && !(posting = calloc(1, sizeof *posting))) return MPIPP_GO_ON;
  mpipp_perturb_collective_make(passage, &request);
  if (passage->code != MPI_SUCCESS) return MPIPP_DONE;
  posting->is_late = 1;
  *(MPI_Request *)(uintptr_t)passage->call->requests = request;
  return MPIPP_DONE;
}

static int is_start(const struct mpipp_call *call) {
  return call->procedure == MPIPP_PROC_Start || call->procedure == MPIPP_PROC_Startall;
}

static int enter_last(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  posting = NULL;
  if (call->present & MPIPP_HAS_SOURCE && !passage->flag) mpipp_perturb_note_probe(0);
  if (call->present & MPIPP_HAS_DEST && !(call->present & MPIPP_HAS_SOURCE) &&
      call->buffer_count == 1)
    return mpipp_perturb_send(passage, is_late);
  if (call->present & MPIPP_HAS_REQUESTS && call->buffer_count) post(passage);
  if (makes) return make_collective(passage);
  if (is_start(call)) mpipp_perturb_substitute_receive(call);
  if (starts && is_late) return mpipp_perturb_defer_start(passage);
  if (marks && is_late) return mpipp_perturb_defer_ready(passage);
  if (mpipp_perturb_test_partition(passage) == MPIPP_DONE) return MPIPP_DONE;
  return mpipp_perturb_complete(passage);
}

static void leave_last(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  struct mpipp_substitute *held = posting;
  posting = NULL;
  int probes = call->procedure == MPIPP_PROC_Probe || call->procedure == MPIPP_PROC_Iprobe;
  if (probes && passage->code == MPI_SUCCESS && (!passage->flag || *passage->flag))
    mpipp_perturb_note_probe(1);
  if (is_start(call) && passage->code != MPI_SUCCESS) mpipp_perturb_substitute_drop_receive(call);
  if (!held) return;
  if (passage->code != MPI_SUCCESS || (!held->stages && !held->is_late)) {
    mpipp_perturb_stages_drop(held->stages);
    free(held);
    return;
  }
  if (held->is_persistent) { // copied to the buffer at each start
    held->at = *mpipp_perturb_call_site();
    mpipp_perturb_hold(held, *(MPI_Request *)(uintptr_t)call->requests);
    return;
  }
  if (held->stages) mpipp_perturb_note_call(MPIPP_WAY_JUNK);
  for (const struct mpipp_stage *each = held->stages; each; each = each->next)
    mpipp_perturb_stage_spoil(each);
  mpipp_perturb_hold(held, *(MPI_Request *)(uintptr_t)call->requests);
  if (held->is_late && is_late)
    mpipp_perturb_substitute_defer(held);
  else if (held->is_late)
    PMPI(Start)(&held->request);
}

static int gets_status(unsigned procedure) {
  return procedure == MPIPP_PROC_Request_get_status ||
         procedure == MPIPP_PROC_Request_get_status_all ||
         procedure == MPIPP_PROC_Request_get_status_any ||
         procedure == MPIPP_PROC_Request_get_status_some;
}

// A test that keeps the request, such as MPI_Request_get_status, has found it complete: the program
// may use the buffer now.
static void event(const struct mpipp_event *event) {
  if (event->kind == MPIPP_EVENT_COMPLETED && gets_status(event->call->procedure))
    mpipp_perturb_substitute_note_completion(event->object->handle);
}

static int deferred_request_state(MPI_Request request) {
  if (mpipp_perturb_substitute_waits(request)) return MPIPP_DEFERRAL_NOT_STARTED;
  return mpipp_perturb_substitute_state(request) & MPIPP_SUBSTITUTE_LATE ? MPIPP_DEFERRAL_PERSISTENT
                                                                         : 0;
}

static struct mpipp_hook first = {.enter = enter_first, .event = event, .order = FIRST};
static struct mpipp_hook last = {.enter = enter_last, .leave = leave_last, .order = LAST};

__attribute__((constructor)) static void hook_in(void) {
  const char *seed = getenv("MPIPP_PROVOKE");
  if (!seed || !*seed) return;
  mpipp_perturb_chance_open(seed);
  others_before_unrecorded = mpipp_intercept_before_unrecorded;
  mpipp_intercept_before_unrecorded = before_unrecorded_call;
  mpipp_guard_deferral = deferred_request_state;
  mpipp_hook_in(&first);
  mpipp_hook_in(&last);
}
