// SPDX-License-Identifier: MIT
// Hooks see the results of calls, get events, and take calls over without an effect on ordinals.
// Checks itself: ends with status 0 or prints the failing line.
#define _GNU_SOURCE
#include <link.h>
#include <setjmp.h>

#include "hooks.h"

static int in[16], out[16];
static struct mpipp_call entered;
static uint64_t type_entered;

static struct mpipp_passage left; // with its own memory for a status
static MPI_Status statuses[2];
static uint64_t handle_left;

static int results_enter(struct mpipp_passage *passage) {
  entered = *passage->call;
  const struct mpipp_buffer *buffer = &entered.buffers[0];
  int known = entered.buffer_count && !(buffer->access & MPIPP_STALE);
  type_entered = known ? buffer->record : 0;
  return MPIPP_GO_ON;
}
static void results_leave(struct mpipp_passage *passage) {
  left = *passage;
  for (int i = 0; passage->status && i < passage->statuses && i < 2; i++)
    statuses[i] = ((MPI_Status *)passage->status)[i];
  if (passage->handle) memcpy(&handle_left, passage->handle, sizeof(MPI_Comm));
}
static struct mpipp_hook results = {.enter = results_enter, .leave = results_leave};

static int see_results(void) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Comm comm;
  MPI_Message message;
  int flag, index, outcount, indices[2], count;
  hook_in(&results);
  MPI_Isend(out, 2, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[0]);
  CHECK(!left.handle && !left.status && !left.flag);
  // The program ignores this status.
  MPI_Recv(in, 4, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK(left.statuses == 1 && statuses[0].MPI_SOURCE == 0 && statuses[0].MPI_TAG == 3);
  PMPI_Get_count(&statuses[0], MPI_INT, &count);
  CHECK(count == 2);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; i++) MPI_Irecv(in + i, 1, MPI_INT, 0, 4 + i, MPI_COMM_SELF, &requests[i]);
  for (int i = 0; i < 2; i++) MPI_Send(out, 1, MPI_INT, 0, 5 - i, MPI_COMM_SELF);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(left.statuses == 2 && statuses[0].MPI_TAG == 4 && statuses[1].MPI_TAG == 5);
  MPI_Testsome(2, requests, &outcount, indices, MPI_STATUSES_IGNORE);
  CHECK(left.outcount == &outcount && left.index == indices && !left.flag);
  MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
  CHECK(left.flag == &flag && left.index == &index && !left.outcount && left.statuses == 1);
  MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
  CHECK(left.statuses == 0 && !left.status);
  // Statuses that the program wants are in the program's own memory.
  MPI_Status own;
  MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_SELF, &flag, &own);
  CHECK(left.status == &own && left.flag == &flag);
  // A probe of any message whose status is ignored: the message shows which one it was.
  MPI_Isend(out, 1, MPI_INT, 0, 6, MPI_COMM_SELF, &requests[0]);
  MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE);
  CHECK(left.handle == &message && left.kind == MPIPP_MESSAGE && statuses[0].MPI_TAG == 6);
  MPI_Mrecv(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  CHECK(left.handle == &message && left.kind == MPIPP_MESSAGE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  // The handles of requests.
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  CHECK(left.handle == &comm && left.kind == MPIPP_COMM);
  CHECK(!memcmp(&handle_left, &comm, sizeof comm));
  MPI_Comm_free(&comm);
  CHECK(left.handle == &comm && left.kind == MPIPP_COMM);
  hook_out(&results);
  return wrong_line;
}

// MPI reports the missing requests, so the number of statuses is not needed.
static int see_no_requests(void) {
#ifndef MPI_ABI_VERSION // that library reads them
  int flag, outcount, indices[1];
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); // MPI-3 calls this one's
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  hook_in(&results);
  CHECK(MPI_Waitall(3, NULL, MPI_STATUSES_IGNORE) != MPI_SUCCESS);
  CHECK(left.statuses == 3 && !left.status);
  CHECK(MPI_Testall(3, NULL, &flag, MPI_STATUSES_IGNORE) != MPI_SUCCESS && !left.status);
  CHECK(MPI_Waitsome(3, NULL, &outcount, indices, MPI_STATUSES_IGNORE) != MPI_SUCCESS);
  CHECK(left.statuses == 3 && !left.status);
  CHECK(MPI_Testsome(3, NULL, &outcount, indices, MPI_STATUSES_IGNORE) != MPI_SUCCESS);
  CHECK(left.statuses == 3 && !left.status);
  hook_out(&results);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
#endif
  return 0;
}

// The events: a letter for the event, and one for the kind.
static char told[256];
static int told_tag;
static struct mpipp_request told_request;
static int told_count;

static void listen_event(const struct mpipp_event *event) {
  static const char events[] = "mscf", kinds[] = "DRCGWOFIESM";
  size_t length = strlen(told);
  if (length + 4 > sizeof told) return;
  told[length] = events[event->kind];
  told[length + 1] = kinds[event->object->kind];
  told[length + 2] = ' ';
  told[length + 3] = 0;
  CHECK_HERE(event->object->serial && event->call->state == MPIPP_CALL_ACTIVE);
  const MPI_Status *status = event->status;
  told_tag = status ? status->MPI_TAG : -1;
  if (status) PMPI_Get_count((MPI_Status *)status, MPI_INT, &told_count);
  if (event->object->kind != MPIPP_REQUEST) return;
  memcpy(&told_request, event->object, sizeof told_request);
  for (uint32_t i = 0; i < told_request.call.buffer_count; i++) {
    // The record includes the arrays and the datatypes that the call names.
    const struct mpipp_vector *vector = &told_request.call.vectors[0];
    if (told_request.call.buffers[i].vector)
      CHECK_HERE(vector->length == 1 && *(const int *)(uintptr_t)vector->counts == 1);
    CHECK_HERE(told_request.call.buffers[i].record);
  }
}
static struct mpipp_hook listener = {.event = listen_event};

static int is_told(const char *what) {
  int same = strcmp(told, what) == 0;
  if (!same) fprintf(stderr, "told: %s\n", told);
  told[0] = 0;
  return same;
}

static int hear_events(void) {
  MPI_Request request, pair[2];
  MPI_Datatype vector;
  MPI_Comm comm;
  int flag, one = 1, zero = 0;
  hook_in(&listener);
  MPI_Type_vector(2, 1, 3, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  MPI_Irecv(in, 1, vector, 0, 1, MPI_COMM_SELF, &request);
  MPI_Type_free(&vector);
  CHECK(is_told("mD mR fD ") && told_request.state == MPIPP_REQUEST_ACTIVE);
  uint64_t serial = told_request.object.serial;
  MPI_Send(out, 2, MPI_INT, 0, 1, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(is_told("cR ") && told_tag == 1 && told_count == 2);
  CHECK(told_request.object.serial == serial && told_request.state == MPIPP_REQUEST_ACTIVE);
  CHECK(told_request.call.buffers[0].address == (uintptr_t)in);
  // Two receives: each event is reported once, the last one for the second receive.
  for (int i = 0; i < 2; i++) MPI_Irecv(in + i, 1, MPI_INT, 0, 1 + i, MPI_COMM_SELF, &pair[i]);
  for (int i = 0; i < 2; i++) MPI_Send(out, 1, MPI_INT, 0, 1 + i, MPI_COMM_SELF);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  CHECK(is_told("mR mR cR cR ") && told_tag == 2);
  // Persistent, and known to be complete before the program waits.
  MPI_Recv_init(in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  MPI_Start(&request);
  CHECK(is_told("mR sR ") && told_request.call.ordinal);
  MPI_Send(out, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
  do {
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  } while (!flag);
  CHECK(is_told("cR ") && told_tag == 1);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(is_told(""));
  MPI_Request_free(&request);
  CHECK(is_told("fR "));
  // An array form.
  MPI_Ialltoallv(out, &one, &zero, MPI_INT, in, &one, &zero, MPI_INT, MPI_COMM_SELF, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(is_told("mR cR "));
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_free(&comm);
  CHECK(is_told("mC fC "));
  hook_out(&listener);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_free(&comm);
  CHECK(is_told(""));
  return wrong_line;
}

// Sends with these tags are taken over: 1 later, 2 never, 3 never and with an error. So are
// receives with tag 4 (which takes a message) and 5 (which does not).
static int waiting;
static MPI_Comm taken;
static int take_enter(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  entered = *call;
  if (call->procedure == MPIPP_PROC_Barrier) return MPIPP_DROPPED;
  if (call->procedure == MPIPP_PROC_Send && call->tag == 1) {
    waiting = 1;
    return MPIPP_DONE;
  }
  if (call->procedure == MPIPP_PROC_Send && call->tag == 2) return MPIPP_DROPPED;
  if (call->procedure == MPIPP_PROC_Send && call->tag == 3) {
    passage->code = MPI_ERR_TAG;
    return MPIPP_DROPPED;
  }
  if (call->procedure == MPIPP_PROC_Recv && call->tag == 4) {
    MPI_Status *status = passage->status; // NULL if the program ignores it
    PMPI_Recv((void *)(uintptr_t)passage->addresses[0], (int)call->buffers[0].count, MPI_INT,
              MPI_ANY_SOURCE, 4, taken, status);
    return MPIPP_DONE;
  }
  if (call->procedure == MPIPP_PROC_Recv && call->tag == 5) return MPIPP_DROPPED;
  return MPIPP_GO_ON;
}
static struct mpipp_hook taker = {.enter = take_enter};

static int take_over(void) {
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_SELF, &taken);
  SAY(taken);
  MPI_Comm_set_errhandler(taken, MPI_ERRORS_RETURN);
  hook_in(&taker);
  // Calls that are sent later have been made; the others never will be.
  for (int i = 1; i <= 2; i++) {
    CHECK(MPI_Send(out, 1, MPI_INT, 0, 1, taken) == MPI_SUCCESS && waiting);
    CHECK(entered.ordinal == (uint64_t)i);
    CHECK(MPI_Send(out, 1, MPI_INT, 0, 2, taken) == MPI_SUCCESS);
    CHECK(entered.ordinal == 1);
    CHECK(MPI_Send(out, 1, MPI_INT, 0, 3, taken) == MPI_ERR_TAG);
    CHECK(entered.ordinal == 1);
    CHECK(MPI_Recv(in, 1, MPI_INT, 0, 5, taken, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(entered.ordinal == 1);
    CHECK(MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 5, taken, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(entered.ordinal == 1);
    CHECK(MPI_Barrier(taken) == MPI_SUCCESS);
    CHECK(entered.ordinal == 1);
  }
  // The wrapper counts the message that a receive got from the hook.
  MPI_Isend(out, 1, MPI_INT, 0, 4, taken, &request);
  CHECK(MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 4, taken, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  hook_out(&taker);
  return 0;
}

static void *library;
#define REAL(name) ((__typeof__(&PMPI_##name))dlsym(library, "PMPI_" #name))

static int find_library(struct dl_phdr_info *object, size_t size, void *data) {
  const char *base = strrchr(object->dlpi_name, '/');
  if (!base || strncmp(base, "/libmpi", 7) || strncmp(base, "/libmpipp", 9) == 0) return 0;
  if (strstr(base, "cxx") || strstr(base, "mpifort")) return 0;
  library = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  return library && REAL(Type_vector);
}

// A datatype that the wrapper did not see, and a number that is no handle.
static int unseen(void) {
  MPI_Datatype vector;
#ifdef OPEN_MPI
  int sure = 1;
#else
  int sure = 0;
#endif
  if (!dl_iterate_phdr(find_library, NULL)) return 0;
  REAL(Type_vector)(2, 1, 3, MPI_INT, &vector);
  REAL(Type_commit)(&vector);
  hook_in(&results);
  MPI_Sendrecv(out, 1, vector, 0, 1, in, 1, vector, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK(!type_entered == !sure);
  const struct mpipp_datatype *record = (void *)(uintptr_t)left.call->buffers[0].record;
  CHECK(record && record->combiner == MPIPP_COMBINER_VECTOR && record->extent == 16);
#ifndef MPI_ABI_VERSION // that library follows any address
  // MPI reports that the handle is invalid, with hooks or without.
  int class;
#ifdef OPEN_MPI
  static uint64_t garbage[512];
  MPI_Datatype wrong = (MPI_Datatype)garbage;
#else
  MPI_Datatype wrong = (MPI_Datatype)0x12345678;
#endif
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Error_class(MPI_Send(out, 1, wrong, 0, 1, MPI_COMM_SELF), &class);
  CHECK(class == MPI_ERR_TYPE && !type_entered);
#endif
  hook_out(&results);
  REAL(Type_free)(&vector);
  return 0;
}

// An error handler jumps out of a call, which then leaves nothing behind.
static jmp_buf out_of_mpi;
static void jump(MPI_Comm *comm, int *code, ...) {
  longjmp(out_of_mpi, 1);
}
static int jump_out(void) {
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_create_errhandler(jump, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  hook_in(&results);
  if (!setjmp(out_of_mpi)) {
    MPI_Send(out, 1, MPI_INT, 99, 0, comm);
    CHECK(!"it jumped");
  }
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  CHECK(entered.procedure == MPIPP_PROC_Waitall && left.statuses == 3);
  hook_out(&results);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
  return 0;
}

int main(void) {
  int wrong = 0;
  MPI_Init(NULL, NULL);
  find_seam();
  if (hook_in)
    wrong = see_results() || see_no_requests() || hear_events() || take_over() || unseen() ||
            jump_out();
  look("done");
  if (wrong) return 1;
  MPI_Finalize();
  return 0;
}
