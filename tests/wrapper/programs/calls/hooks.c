// SPDX-License-Identifier: MIT
// Hooks at the wrapper's seam observe, one after the other, change buffers, take calls over, change
// codes.
// Checks itself: ends with status 0 or prints the failing line.
#include <errno.h>

#include "hooks.h"

static int in[16], out[16], elsewhere[16];

// The observed calls: a letter for each entry and each exit.
static char trace[64];
static struct mpipp_call entered, left;
static int code_left;

static void mark(char letter) {
  size_t length = strlen(trace);
  if (length < sizeof trace - 1) trace[length] = letter;
}

static int observe_enter(struct mpipp_passage *passage) {
  int size;
  mark('e');
  entered = *passage->call;
  MPI_Comm_size(MPI_COMM_WORLD, &size); // hooks may call MPI
  MPI_Barrier(MPI_COMM_SELF);           // and what they call does not come here again
  errno = EDOM;                         // nor does the program see it
  return MPIPP_GO_ON;
}
static void observe_leave(struct mpipp_passage *passage) {
  mark('l');
  left = *passage->call;
  code_left = passage->code;
}
static struct mpipp_hook observer = {.enter = observe_enter, .leave = observe_leave};

static int observe(void) {
  MPI_Request request;
  MPI_Datatype vector;
  hook_in(&observer);
  memset(trace, 0, sizeof trace);
  errno = EXDEV;
  MPI_Sendrecv(out, 3, MPI_INT, 0, 7, in, 4, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK(strcmp(trace, "el") == 0);
  CHECK(code_left == MPI_SUCCESS && errno == EXDEV);
  CHECK(entered.buffer_count == 2 && entered.serial == left.serial);
  CHECK(entered.buffers[0].address == (uintptr_t)out && entered.buffers[0].count == 3);
  CHECK(entered.buffers[1].address == (uintptr_t)in && entered.buffers[1].count == 4);
  CHECK(strcmp((const char *)(uintptr_t)entered.buffers[1].role, "recvbuf") == 0);
  CHECK(entered.dest == 0 && entered.source == 0 && entered.tag == 7 && entered.recvtag == 7);
  CHECK(entered.comm == (uint64_t)KEY(MPI_COMM_SELF));
  CHECK(entered.present == (MPIPP_HAS_COMM | MPIPP_HAS_DEST | MPIPP_HAS_SOURCE | MPIPP_HAS_TAG |
                            MPIPP_HAS_RECVTAG | MPIPP_HAS_ORDINAL | MPIPP_HAS_RECV_ORDINAL));
  CHECK(entered.ordinal == 1 && entered.recv_ordinal == 1);
  MPI_Irecv(in, 1, MPI_INT, 0, 8, MPI_COMM_SELF, &request);
  CHECK(*(MPI_Request *)(uintptr_t)left.requests == request); // known when leaving
  MPI_Send(out, 1, MPI_INT, 0, 8, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_vector(2, 1, 3, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  MPI_Type_free(&vector);
  CHECK(strcmp(trace, "elelelelelelel") == 0);
  hook_out(&observer);
  MPI_Barrier(MPI_COMM_SELF);
  CHECK(strcmp(trace, "elelelelelelel") == 0);
  return 0;
}

// Three hooks in a row; the second takes MPI_Ssend over.
static int first_enter(struct mpipp_passage *passage) {
  return mark('a'), MPIPP_GO_ON;
}
static int second_enter(struct mpipp_passage *passage) {
  mark('b');
  passage->code = 0;
  return passage->call->procedure == MPIPP_PROC_Ssend ? MPIPP_DONE : MPIPP_GO_ON;
}
static int third_enter(struct mpipp_passage *passage) {
  return mark('c'), MPIPP_GO_ON;
}
static void first_leave(struct mpipp_passage *passage) {
  mark('A');
  CHECK_HERE(passage->code == 17);
  passage->code = MPI_SUCCESS;
}
static struct mpipp_hook second;
static int once;
static void second_leave(struct mpipp_passage *passage) {
  mark('B');
  passage->code = 17; // for the first, which has entered before
  if (once) hook_out(&second);
}
static void third_leave(struct mpipp_passage *passage) {
  mark('C');
}
static struct mpipp_hook first = {.enter = first_enter, .leave = first_leave, .order = -5};
static struct mpipp_hook second = {.enter = second_enter, .leave = second_leave};
static struct mpipp_hook third = {.enter = third_enter, .leave = third_leave};

static int in_order(void) {
  memset(trace, 0, sizeof trace);
  hook_in(&second);
  hook_in(&third); // of equal order
  hook_in(&first);
  CHECK(MPI_Barrier(MPI_COMM_SELF) == MPI_SUCCESS);
  CHECK(strcmp(trace, "abcCBA") == 0);
  CHECK(MPI_Ssend(out, 1, MPI_INT, 0, 5, MPI_COMM_SELF) == MPI_SUCCESS);
  CHECK(strcmp(trace, "abcCBAabBA") == 0); // only hooks that have entered leave
  once = 1;
  hook_out(&third);
  CHECK(MPI_Barrier(MPI_COMM_SELF) == MPI_SUCCESS);
  CHECK(strcmp(trace, "abcCBAabBAabBA") == 0);
  hook_out(&first);
  CHECK(MPI_Barrier(MPI_COMM_SELF) == MPI_SUCCESS);
  CHECK(strcmp(trace, "abcCBAabBAabBA") == 0);
  return wrong_line;
}

static int wants_messages(const struct mpipp_call *call) {
  return mark(call->present & MPIPP_HAS_TAG ? 'w' : '-'), call->present & MPIPP_HAS_TAG;
}
static struct mpipp_hook choosy = {
    .enter = third_enter, .leave = third_leave, .wants = wants_messages};

static int are_asked(void) {
  memset(trace, 0, sizeof trace);
  hook_in(&choosy);
  MPI_Barrier(MPI_COMM_SELF);
  CHECK(strcmp(trace, "-") == 0);
  MPI_Sendrecv(out, 1, MPI_INT, 0, 7, in, 1, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK(strcmp(trace, "-wcC") == 0);
  hook_in(&observer); // it wants all: then both have all, and both are asked once
  MPI_Barrier(MPI_COMM_SELF);
  CHECK(strcmp(trace, "-wcC-celC") == 0);
  hook_out(&observer);
  hook_out(&choosy);
  return 0;
}

static int redirect_enter(struct mpipp_passage *passage) {
  for (uint32_t i = 0; i < passage->call->buffer_count; i++) {
    if (passage->addresses[i] == (uintptr_t)in) passage->addresses[i] = (uintptr_t)elsewhere;
  }
  return MPIPP_GO_ON;
}
static void redirect_leave(struct mpipp_passage *passage) {
  left = *passage->call;
}
static struct mpipp_hook redirector = {.enter = redirect_enter, .leave = redirect_leave};

static int redirect(void) {
  int *given = in;
  out[0] = 42, out[1] = 43;
  in[0] = elsewhere[0] = 0;
  hook_in(&redirector);
  MPI_Sendrecv(out, 1, MPI_INT, 0, 7, given, 1, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK(given == in && in[0] == 0 && elsewhere[0] == 42);
  CHECK(left.buffers[1].address == (uintptr_t)in); // the record keeps the program's
  MPI_Allreduce(out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  CHECK(in[0] == 0 && elsewhere[1] == 43);
  hook_out(&redirector);
  MPI_Sendrecv(out, 1, MPI_INT, 0, 7, in, 1, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK(in[0] == 42);
  return 0;
}

static int raised, raised_code;
static MPI_Comm raised_on;
static void on_error(MPI_Comm *comm, int *code, ...) {
  raised++;
  raised_on = *comm;
  raised_code = *code;
}

static MPI_Comm comm, taken;
static int take_over_enter(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  if (!(call->present & MPIPP_HAS_TAG)) return MPIPP_GO_ON; // only point-to-point
  if (call->tag == 13) {
    PMPI_Comm_call_errhandler(comm, MPI_ERR_BUFFER);
    passage->code = MPI_ERR_BUFFER;
  }
  return MPIPP_DONE;
}
static struct mpipp_hook taker = {.enter = take_over_enter, .leave = observe_leave};

static int take_over(void) {
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  hook_in(&taker);
  // No process receives, and MPI sends nothing.
  CHECK(MPI_Ssend(out, 1, MPI_INT, 0, 5, comm) == MPI_SUCCESS);
  CHECK(raised == 0);
  CHECK(MPI_Ssend(out, 1, MPI_INT, 0, 13, comm) == MPI_ERR_BUFFER);
  CHECK(code_left == MPI_ERR_BUFFER);
  CHECK(raised == 1 && raised_on == comm && raised_code == MPI_ERR_BUFFER);
  // The wrapper does not know which message the receive took.
  MPI_Comm_dup(MPI_COMM_SELF, &taken);
  SAY(taken);
  CHECK(MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 5, taken, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  hook_out(&taker);
  int flag = 1;
  MPI_Iprobe(0, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
  CHECK(!flag);
  MPI_Errhandler_free(&handler);
  return 0;
}

static void change_leave(struct mpipp_passage *passage) {
  passage->code = passage->code == MPI_SUCCESS ? MPI_ERR_OTHER : MPI_SUCCESS;
}
static struct mpipp_hook changer = {.leave = change_leave};

static int change_code(void) {
  hook_in(&changer);
  CHECK(MPI_Barrier(MPI_COMM_SELF) == MPI_ERR_OTHER);
  hook_out(&changer);
  CHECK(MPI_Barrier(MPI_COMM_SELF) == MPI_SUCCESS);
  return 0;
}

static int nothing_hooked(void) {
  MPI_Datatype type;
  MPI_Request request;
  int class;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Error_class(MPI_Send(out, 1, MPI_INT, 99, 5, MPI_COMM_SELF), &class);
  CHECK(class == MPI_ERR_RANK);
  MPI_Error_class(MPI_Send(out, -1, MPI_INT, 0, 5, MPI_COMM_SELF), &class);
  CHECK(class == MPI_ERR_COUNT);
  MPI_Error_class(MPI_Send(out, 1, MPI_DATATYPE_NULL, 0, 5, MPI_COMM_SELF), &class);
  CHECK(class == MPI_ERR_TYPE);
  CHECK(MPI_Type_vector(-1, 2, 3, MPI_INT, &type) != MPI_SUCCESS);
  errno = EXDEV;
  MPI_Type_vector(1, 2, 3, MPI_INT, &type);
  CHECK(errno == EXDEV);
  MPI_Type_set_name(type, "name");
  MPI_Type_free(&type);
  MPI_Irecv(in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  MPI_Send(out, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(errno == EXDEV);
  return 0;
}

int main(void) {
  int wrong = 0;
  MPI_Init(NULL, NULL);
  find_seam();
  if (hook_in)
    wrong = observe() || in_order() || are_asked() || redirect() || take_over() || change_code();
  if (!wrong) wrong = nothing_hooked();
  look("done");
  if (wrong) return 1;
  MPI_Finalize();
  return 0;
}
