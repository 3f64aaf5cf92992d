// SPDX-License-Identifier: MIT
#include "call_filter/caches/query_cache.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "abi/mpi_symbols.h"
#include "call_filter/arguments.h"
#include "recorder/requests/call_copy.h"
#include "recorder/requests/requests.h"
#include "registry/registry.h"
#include "watcher_client/error_policy.h"
#include "watcher_client/queries.h"

enum {
  FIRST_ASKED = 1024,
  MOST_ASKED = 1 << 16,
  MOST_HANDLES = 64,
  MOST_PENDING = 64,
  MOST_GAPS = 64
};

// A hash table (open addressing) of the doubts that were queried. A full table is emptied.
static struct mpipp_doubt *asked;
static uint64_t asked_mask, asked_count;

static struct mpipp_doubt *place_of(const struct mpipp_doubt *doubt) {
  for (uint64_t i = doubt->low;; i++) {
    struct mpipp_doubt *place = &asked[i & asked_mask];
    int empty = !(place->low | place->high);
    if (empty || (place->low == doubt->low && place->high == doubt->high)) return place;
  }
}

int mpipp_filter_is_new_doubt(const struct mpipp_doubt *doubt) {
  return !asked || place_of(doubt)->low != doubt->low;
}

static int make_room(void) {
  if (asked && asked_count * 4 < asked_mask * 3) return 1;
  uint64_t old_count = asked ? asked_mask + 1 : 0;
  uint64_t capacity = asked ? 2 * old_count : FIRST_ASKED;
  struct mpipp_doubt *old = asked, *more = NULL;
  if (capacity <= MOST_ASKED) more = mpipp_registry_allocate(capacity * sizeof *more);
  asked_count = 0;
  if (!more) {
    if (asked) memset(asked, 0, old_count * sizeof *asked);
    return asked != NULL;
  }
  memset(more, 0, capacity * sizeof *more);
  asked = more;
  asked_mask = capacity - 1;
  for (uint64_t i = 0; i < old_count; i++) {
    if (!(old[i].low | old[i].high)) continue;
    *place_of(&old[i]) = old[i];
    asked_count++;
  }
  mpipp_registry_free(old);
  return 1;
}

void mpipp_filter_remember(const struct mpipp_doubt *doubt) {
  if (!make_room()) return;
  struct mpipp_doubt *place = place_of(doubt);
  asked_count += !(place->low | place->high);
  *place = *doubt;
}

int mpipp_filter_is_new_meeting(const struct mpipp_call *call, struct mpipp_meeting *meeting) {
  const struct mpipp_call *other = mpipp_filter_call_of(meeting->other);
  struct mpipp_doubt *doubt = &meeting->doubt;
  mpipp_doubt(doubt, call->caller);
  mpipp_doubt(doubt, other->caller);
  mpipp_doubt(doubt, (uint64_t)call->procedure << 32 | other->procedure);
  mpipp_filter_doubt_buffer(call, meeting->own_buffer, doubt);
  mpipp_filter_doubt_buffer(other, meeting->buffer, doubt);
  mpipp_doubt(doubt,
              other->buffers[meeting->buffer].address - call->buffers[meeting->own_buffer].address);
  return mpipp_filter_is_new_doubt(doubt);
}

static void ask_arrays(struct mpipp_asking *asking, const struct mpipp_call *call) {
  int used = (call->present & MPIPP_HAS_COUNTS) != 0;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    if ((int)call->buffers[i].vector > used) used = (int)call->buffers[i].vector;
  }
  for (int v = 0; v < used; v++) {
    const struct mpipp_vector *vector = &call->vectors[v];
    uint64_t n = vector->length;
    mpipp_watcher_ask_memory(asking, vector->counts, n * vector->count_size);
    mpipp_watcher_ask_memory(asking, vector->displacements, n * vector->displacement_size);
    mpipp_watcher_ask_memory(asking, vector->datatypes, n * sizeof(MPI_Datatype));
    const MPI_Datatype *types = (const MPI_Datatype *)(uintptr_t)vector->datatypes;
    uint64_t before = MPIPP_NO_HANDLE;
    for (uint64_t i = 0; types && i < n; i++) {
      uint64_t handle = MPIPP_KEY(types[i]);
      if (handle != before) mpipp_watcher_ask_object(asking, MPIPP_DATATYPE, handle);
      before = handle;
    }
  }
}

static void ask_inputs(struct mpipp_asking *asking, const struct mpipp_call *call) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  mpipp_watcher_ask_memory(asking, call->inputs, call->input_count * sizeof *inputs);
  for (uint32_t i = 0; i < call->input_count; i++) {
    const struct mpipp_input *input = &inputs[i];
    int64_t count = call->present & MPIPP_HAS_ARGUMENTS ? mpipp_filter_input_count(call, i)
                    : input->shape == MPIPP_SHAPE_ARRAY ? input->count
                                                        : 1;
    if (count > 0)
      mpipp_watcher_ask_memory(asking, (uintptr_t)input->values, (uint64_t)count * input->size);
    enum mpipp_kind kind = mpipp_filter_kind_of_name(input->name);
    uint64_t handle = 0;
    if (input->shape != MPIPP_SHAPE_HANDLE || kind == MPIPP_KINDS || !input->values) continue;
    memcpy(&handle, input->values, input->size);
    mpipp_watcher_ask_object(asking, kind, handle);
  }
}

static void ask_types(struct mpipp_asking *asking, const struct mpipp_call *call) {
  const MPI_Datatype *types = (const MPI_Datatype *)(uintptr_t)call->types;
  if (!types || call->type_count <= 0) return;
  mpipp_watcher_ask_memory(asking, call->types, (uint64_t)call->type_count * sizeof *types);
  for (int64_t i = 0; i < call->type_count; i++)
    mpipp_watcher_ask_object(asking, MPIPP_DATATYPE, MPIPP_KEY(types[i]));
}

static void ask_request(struct mpipp_asking *asking, const struct mpipp_call *call,
                        uint64_t handle) {
  const struct mpipp_request *request = mpipp_find(MPIPP_REQUEST, handle);
  mpipp_watcher_ask_object(asking, MPIPP_REQUEST, handle);
  int given_up = (call->present & MPIPP_HAS_GIVEN_UP) != 0;
  if (!request) return;
  if (request->persistent || given_up) mpipp_watcher_ask_parts(asking, &request->call);
  if (mpipp_facts[request->call.procedure].form == MPIPP_FORM_PARTITIONED)
    mpipp_watcher_ask_memory(asking, (uintptr_t)request,
                             sizeof *request); // with the present state of its partitions
  mpipp_watcher_ask_memory(asking, request->marks, (uint64_t)request->call.buffers[0].peers);
}

// Returns whether a request in an array may be wrong. index: its position there. If a request
// occurs twice, `given` of its record has the index of the last occurrence.
static int may_be_wrong(const struct mpipp_call *call, const struct mpipp_request *request,
                        uint64_t index) {
  if (!request || request->object.flags & MPIPP_FLAG_ENDED) return 1;
  if (call->procedure == MPIPP_PROC_Startall &&
      (!request->persistent || request->state != MPIPP_REQUEST_INACTIVE))
    return 1;
  return request->object.given != ~(uint32_t)index && !mpipp_may_be_duplicate(request);
}

// Returns whether the call leaves the array of requests as it was passed.
static int keeps_requests(const struct mpipp_call *call) {
  return call->procedure == MPIPP_PROC_Waitany || call->procedure == MPIPP_PROC_Waitsome ||
         call->procedure == MPIPP_PROC_Request_free;
}

// Adds the first request of an array, and the others that may be wrong.
static void ask_requests(struct mpipp_asking *asking, const struct mpipp_call *call) {
  const MPI_Request *requests = (const MPI_Request *)(uintptr_t)call->requests;
  if (!requests || call->request_count <= 0) return;
  uint64_t count = (uint64_t)call->request_count;
  mpipp_watcher_ask_memory(asking, call->requests, count * sizeof *requests);
  if (keeps_requests(call) && call->before)
    mpipp_watcher_ask_memory(asking, call->before, count * sizeof *requests);
  for (uint64_t i = 0; i < count && i < MOST_HANDLES; i++)
    ask_request(asking, call, MPIPP_KEY(requests[i]));
  for (uint64_t i = MOST_HANDLES; i < count; i++) {
    struct mpipp_request *request = mpipp_find(MPIPP_REQUEST, MPIPP_KEY(requests[i]));
    if (request) request->object.given = ~(uint32_t)i;
  }
  for (uint64_t i = MOST_HANDLES, left = MOST_HANDLES; i < count && left; i++) {
    const struct mpipp_request *request = mpipp_find(MPIPP_REQUEST, MPIPP_KEY(requests[i]));
    if (!may_be_wrong(call, request, i)) continue;
    ask_request(asking, call, MPIPP_KEY(requests[i]));
    left--;
  }
}

// Adds the operations that are pending on a communicator that is freed, or a file that is closed.
static void ask_pending_on(struct mpipp_asking *asking, uint64_t handle, mpipp_is_on *is_on) {
  const struct mpipp_table *table = mpipp_registry_stores[MPIPP_REQUEST].table;
  uint64_t left = MOST_PENDING;
  for (const struct mpipp_chunk *chunk = (const void *)(uintptr_t)table->chunks; chunk;
       chunk = (const void *)(uintptr_t)chunk->next) {
    const struct mpipp_request *requests = (const void *)(chunk + 1);
    for (uint64_t i = 0; i < chunk->used && left; i++) {
      if (!is_on(&requests[i], handle)) continue;
      mpipp_watcher_ask_pending(asking, &requests[i]);
      left--;
    }
  }
}

static void ask_objects(struct mpipp_asking *asking, const struct mpipp_call *call) {
  const uint32_t present = call->present;
  if (present & MPIPP_HAS_COMM) mpipp_watcher_ask_object(asking, MPIPP_COMM, call->comm);
  if (present & MPIPP_HAS_OP) mpipp_watcher_ask_object(asking, MPIPP_OP, call->op);
  mpipp_watcher_ask_memory(asking, (uintptr_t)&mpipp_registry.attached,
                           sizeof mpipp_registry.attached);
  if (present & MPIPP_HAS_FILE) mpipp_watcher_ask_object(asking, MPIPP_FILE, call->file);
  if (present & MPIPP_HAS_MESSAGE) mpipp_watcher_ask_object(asking, MPIPP_MESSAGE, call->message);
  if (present & MPIPP_HAS_WIN) {
    const struct mpipp_win *win = mpipp_find(MPIPP_WIN, call->win);
    mpipp_watcher_ask_object(asking, MPIPP_WIN, call->win);
    if (win) mpipp_watcher_ask_object(asking, MPIPP_COMM, win->comm);
  }
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    const struct mpipp_buffer *buffer = &call->buffers[i];
    mpipp_watcher_ask_object(asking, MPIPP_DATATYPE, buffer->datatype);
    mpipp_watcher_ask_datatype(asking, buffer->record, buffer->datatype);
  }
}

static int is_still_active(const struct mpipp_request *request, uint64_t serial) {
  return request->object.serial == serial && request->state == MPIPP_REQUEST_ACTIVE &&
         !(request->special & MPIPP_DOUBTED);
}

static void ask_overlapping(struct mpipp_asking *asking, const struct mpipp_call *call,
                            struct mpipp_owner met) {
  const struct mpipp_request *request = mpipp_owner_request(met);
  if (request) {
    if (is_still_active(request, met.serial))
      mpipp_watcher_ask_pending(asking, request);
    else if (request->object.serial == met.serial) // an operation that the call itself starts
      ask_request(asking, call, request->object.handle);
  } else if (met.record & MPIPP_OF_THREAD) {
    mpipp_watcher_ask_other_thread(asking, mpipp_owner_thread(met));
  } else if (mpipp_is_owner_active(met)) {
    mpipp_watcher_ask_split(asking, mpipp_owner_file(met));
  }
}

int mpipp_filter_awaits_answers = 0, mpipp_filter_checks_itself = 0, mpipp_filter_windows = 0;
static int stops = 0;
uint64_t mpipp_filter_uncleared_calls = 0;

int mpipp_filter_asking_open(void) {
  const char *filter = getenv("MPIPP_CALL_FILTER");
  const char *stop = getenv("MPIPP_STOP");
  stops = stop != NULL;
  // A gdb that the run starts is no ancestor of the process: under Yama the process must allow it
  // to attach.
  if (stop && strncmp(stop, "gdb", 3) == 0) prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  mpipp_filter_checks_itself = filter && strcmp(filter, "check") == 0;
  mpipp_filter_awaits_answers =
      stops || mpipp_filter_checks_itself || mpipp_watcher_on_error != MPIPP_REPORT;
  mpipp_filter_windows = filter && strcmp(filter, "windows") == 0;
  return !filter || strcmp(filter, "none") != 0;
}

// Adds the split collective call that is pending on a file.
static void ask_split(struct mpipp_asking *asking, const struct mpipp_call *call) {
  const struct mpipp_file *file = mpipp_find_live(MPIPP_FILE, mpipp_filter_file_of(call));
  if (file && file->split_pending) mpipp_watcher_ask_parts(asking, &file->call);
}

// The state of a pass over the process's mappings, for a buffer that may not be mapped.
struct mpipp_gaps {
  struct mpipp_asking *asking;
  uint64_t low, high; // the buffer, if some of it is not mapped; else 0
  uint64_t base;      // the address that the program passes, to which displacements are added
  uint64_t end;       // end of the mappings visited so far
  int is_readable;    // 1: the memory at `base` is readable
  int writes_constants;
  uint32_t told;
};

static void note_gap(struct mpipp_gaps *gaps, enum mpipp_note_kind kind, uint64_t start,
                     uint64_t end) {
  if (gaps->told++ < MOST_GAPS) mpipp_watcher_ask_gap(gaps->asking, kind, start, end);
}

static void ask_gap(void *context, uint64_t start, uint64_t end, const char *mode) {
  struct mpipp_gaps *gaps = context;
  if (gaps->writes_constants && mpipp_meets_constants(start, end) && !strncmp(mode, "r-", 2))
    note_gap(gaps, MPIPP_NOTE_READ_ONLY, start, end);
  if (gaps->is_readable && gaps->end < start && gaps->end < gaps->high && gaps->low < start)
    note_gap(gaps, MPIPP_NOTE_UNMAPPED, gaps->end, start);
  gaps->end = end;
}

// Finds out whether memory at `base` is readable. A device may have memory that is not readable, or
// not mapped in the process: then the buffer is not reported.
static void find_base(void *context, uint64_t start, uint64_t end, const char *mode) {
  struct mpipp_gaps *gaps = context;
  if (start <= gaps->base && gaps->base < end) gaps->is_readable = *mode == 'r';
}

// In a run that tests the call filter itself, every buffer is compared with constants.
static void ask_gaps(struct mpipp_asking *asking, const struct mpipp_call *call) {
  struct mpipp_gaps gaps = {.asking = asking, .writes_constants = mpipp_filter_checks_itself};
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    struct mpipp_box box;
    mpipp_filter_box_of(call, i, &box, NULL);
    gaps.writes_constants |= box.writes && mpipp_meets_constants(box.low, box.high);
    if (box.high <= box.low || mpipp_filter_is_mapped(box.low, box.high)) continue;
    gaps.low = box.low;
    gaps.high = box.high;
    const int is_absolute = call->buffers[i].address == (uintptr_t)MPI_BOTTOM;
    gaps.base = is_absolute ? box.low : call->buffers[i].address;
  }
  if (gaps.high) mpipp_filter_visit_mappings(find_base, &gaps);
  if (gaps.writes_constants || gaps.high) mpipp_filter_visit_mappings(ask_gap, &gaps);
}

void mpipp_filter_ask_call(struct mpipp_asking *asking, const struct mpipp_thread *thread) {
  const struct mpipp_call *call = &thread->call;
  mpipp_watcher_ask_begin(asking, thread);
  ask_objects(asking, call);
  ask_arrays(asking, call);
  if (call->present & (MPIPP_HAS_ARGUMENTS | MPIPP_HAS_CONSTRUCTOR)) ask_inputs(asking, call);
  if (call->present & (MPIPP_HAS_CONSTRUCTOR | MPIPP_HAS_TYPES)) ask_types(asking, call);
  if (call->present & MPIPP_HAS_REQUESTS && !call->buffer_count) ask_requests(asking, call);
  if (mpipp_facts[call->procedure].over == MPIPP_OVER_FILE) ask_split(asking, call);
  if (call->procedure == MPIPP_PROC_Comm_free || call->procedure == MPIPP_PROC_Comm_disconnect)
    ask_pending_on(asking,
                   *(const uint64_t *)((const struct mpipp_input *)(uintptr_t)call->inputs)->values,
                   mpipp_filter_is_pending_on);
  if (mpipp_filter_ends_on_file(call))
    ask_pending_on(asking, mpipp_filter_file_of(call), mpipp_filter_is_on_file);
  ask_gaps(asking, call);
}

// In a run that tests the call filter: returns whether a query needs no answer. A queried call is
// not cleared, so usually nothing would be compared. Some queries still need an answer, because
// equal calls are cleared once an answer has no findings.
static int is_skipped(void) {
  static unsigned calls = 0;
  if (calls++ % 4 == 0) return 0;
  mpipp_filter_uncleared_calls++;
  return 1;
}

int mpipp_filter_ask(const struct mpipp_thread *thread, const struct mpipp_doubt *doubt,
                     const struct mpipp_meeting *met, uint32_t count) {
  struct mpipp_asking asking;
  int waits = mpipp_filter_awaits_answers, found = 0, refused = 0;
  mpipp_registry_lock();
  if (mpipp_filter_checks_itself && is_skipped()) {
    mpipp_registry_unlock();
    return 0;
  }
  mpipp_filter_ask_call(&asking, thread);
  for (uint32_t i = 0; i < count; i++) {
    const struct mpipp_request *own = (const void *)(uintptr_t)met[i].own;
    if (own) ask_request(&asking, &thread->call, own->object.handle);
    ask_overlapping(&asking, &thread->call, met[i].other);
  }
  if (waits && asking.question) asking.question->awaits = MPIPP_AWAITS_ANSWER;
  int is_asked = mpipp_watcher_ask_end(&asking);
  if (is_asked && waits) found = mpipp_watcher_ask_await();
  if (is_asked && mpipp_watcher_on_error != MPIPP_REPORT) refused = mpipp_watcher_ask_class();
  if (is_asked && !refused && !(found && mpipp_filter_checks_itself)) {
    if (doubt) mpipp_filter_remember(doubt);
    for (uint32_t i = 0; i < count; i++) mpipp_filter_remember(&met[i].doubt);
  }
  mpipp_filter_uncleared_calls += (uint64_t)found;
  mpipp_registry_unlock();
  if (found && stops) raise(SIGSTOP);
  return refused;
}

static void ask_splits(struct mpipp_asking *asking, const struct mpipp_call *call) {
  const struct mpipp_table *table = mpipp_registry_stores[MPIPP_FILE].table;
  for (const struct mpipp_chunk *chunk = (const void *)(uintptr_t)table->chunks; chunk;
       chunk = (const void *)(uintptr_t)chunk->next) {
    const struct mpipp_file *files = (const void *)(chunk + 1);
    for (uint64_t i = 0; i < chunk->used; i++) {
      struct mpipp_owner owner = {(uintptr_t)&files[i] | MPIPP_OF_FILE, files[i].split_number};
      if (files[i].object.serial) ask_overlapping(asking, call, owner);
    }
  }
}

void mpipp_filter_ask_all(const struct mpipp_thread *thread) {
  struct mpipp_asking asking;
  mpipp_registry_lock();
  mpipp_filter_ask_call(&asking, thread);
  ask_splits(&asking, &thread->call);
  const struct mpipp_table *table = mpipp_registry_stores[MPIPP_REQUEST].table;
  for (const struct mpipp_chunk *chunk = (const void *)(uintptr_t)table->chunks; chunk;
       chunk = (const void *)(uintptr_t)chunk->next) {
    const struct mpipp_request *requests = (const void *)(chunk + 1);
    for (uint64_t i = 0; i < chunk->used; i++) {
      uint64_t serial = requests[i].object.serial;
      if (serial && !(requests[i].object.flags & MPIPP_FLAG_ENDED) &&
          is_still_active(&requests[i], serial))
        mpipp_watcher_ask_pending(&asking, &requests[i]);
    }
  }
  if (asking.question) asking.question->awaits = MPIPP_AWAITS_CLEARED;
  if (mpipp_watcher_ask_end(&asking)) mpipp_watcher_ask_await();
  mpipp_registry_unlock();
}

int mpipp_filter_ask_place(const struct mpipp_thread *thread) {
  struct mpipp_asking asking;
  int found = 0;
  mpipp_registry_lock();
  mpipp_filter_ask_call(&asking, thread);
  if (asking.question) asking.question->awaits = MPIPP_AWAITS_PLACE;
  if (mpipp_watcher_ask_end(&asking)) found = mpipp_watcher_ask_await();
  mpipp_registry_unlock();
  return found;
}
