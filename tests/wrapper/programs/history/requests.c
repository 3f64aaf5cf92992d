// SPDX-License-Identifier: MIT
// Requests of every kind, from creation to completion, in one process that sends to itself.
#include "probe.h"

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
// An extension of the MPI library that makes a communicator.
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION >= 40100000
#define MAKE(COMM, MADE) (MPIX_Stream_comm_create(COMM, MPIX_STREAM_NULL, MADE) == MPI_SUCCESS)
#elif defined OMPI_HAVE_MPI_EXT_FTMPI
#define MAKE(COMM, MADE) (MPIX_Comm_shrink(COMM, MADE) == MPI_SUCCESS)
#else
#define MAKE(COMM, MADE) 0
#endif

static int in[64], out[64];
static MPI_Comm comm;

static void simple(void) {
  MPI_Request receive, send, ready;
  MPI_Irecv(in, 4, MPI_INT, MPI_ANY_SOURCE, 1, comm, &receive);
  SAY(receive);
  look("receive");
  MPI_Issend(out, 3, MPI_INT, 0, 1, comm, &send);
  SAY(send);
  look("both");
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  look("done");
  char room[4096];
  MPI_Buffer_attach(room, sizeof room);
  MPI_Irecv(in, 4, MPI_INT, 0, 1, comm, &receive);
  MPI_Ibsend(out, 4, MPI_INT, 0, 1, comm, &send);
  MPI_Waitall(2, (MPI_Request[]){send, receive}, MPI_STATUSES_IGNORE);
  MPI_Irecv(in, 4, MPI_INT, 0, 1, comm, &receive);
  MPI_Irsend(out, 4, MPI_INT, 0, 1, comm, &ready);
  MPI_Waitall(2, (MPI_Request[]){ready, receive}, MPI_STATUSES_IGNORE);
  void *address;
  int size;
  MPI_Buffer_detach(&address, &size);
  look("buffered and ready");
}

static void persistent(void) {
  MPI_Request pair[2];
  MPI_Recv_init(in, 5, MPI_INT, 0, 2, comm, &pair[0]);
  MPI_Ssend_init(out, 5, MPI_INT, 0, 2, comm, &pair[1]);
  SAY(pair[0]), SAY(pair[1]);
  look("initialized");
  MPI_Start(&pair[0]);
  look("one started");
  MPI_Start(&pair[1]);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  look("completed");
  MPI_Startall(2, pair);
  look("all started");
  int index, flag = 0;
  MPI_Waitany(2, pair, &index, MPI_STATUS_IGNORE);
  NUMBER(index);
  look("one completed");
  while (!flag) MPI_Testall(2, pair, &flag, MPI_STATUSES_IGNORE);
  MPI_Request_free(&pair[0]);
  look("one freed");
  MPI_Request_free(&pair[1]);
  look("both freed");
}

static void partitioned(void) {
#ifdef MPIPP_HAVE_Psend_init
  MPI_Request parts[2];
  MPI_Psend_init(out, 4, 2, MPI_INT, 0, 3, comm, MPI_INFO_NULL, &parts[0]);
  MPI_Precv_init(in, 2, 4, MPI_INT, 0, 3, comm, MPI_INFO_NULL, &parts[1]);
  SAY(parts[0]), SAY(parts[1]);
  look("partitioned");
  MPI_Startall(2, parts);
  MPI_Pready(3, parts[0]);
  look("one ready");
  MPI_Pready_range(0, 1, parts[0]);
  MPI_Pready_list(1, (int[]){2}, parts[0]);
  look("all ready");
  MPI_Waitall(2, parts, MPI_STATUSES_IGNORE);
  MPI_Start(&parts[1]);
  MPI_Start(&parts[0]);
  look("again");
  MPI_Pready_range(0, 3, parts[0]);
  MPI_Waitall(2, parts, MPI_STATUSES_IGNORE);
  MPI_Request_free(&parts[0]);
  MPI_Request_free(&parts[1]);
  MPI_Psend_init(out, 1, 8, MPI_INT, 0, 4, comm, MPI_INFO_NULL, &parts[0]);
  MPI_Precv_init(in, 1, 8, MPI_INT, 0, 4, comm, MPI_INFO_NULL, &parts[1]);
  MPI_Startall(2, parts);
  look("one partition");
  MPI_Pready(0, parts[0]);
  MPI_Waitall(2, parts, MPI_STATUSES_IGNORE);
  MPI_Request_free(&parts[0]);
  MPI_Request_free(&parts[1]);
#endif
}

// Several requests: the test checks which are complete after each kind of completion.
static void fill(MPI_Request *all, int count) {
  for (int i = 0; i < count; i++) MPI_Irecv(in + i, 1, MPI_INT, 0, 10 + i, comm, &all[i]);
}
static void satisfy(int which) {
  MPI_Send(out, 1, MPI_INT, 0, 10 + which, comm);
}

static void completions(void) {
  MPI_Request all[6];
  int index, flag = 0, count, indices[6];
  fill(all, 6);
  look("six");
  MPI_Testany(6, all, &index, &flag, MPI_STATUS_IGNORE);
  MPI_Testsome(6, all, &count, indices, MPI_STATUSES_IGNORE);
  MPI_Testall(6, all, &flag, MPI_STATUSES_IGNORE);
  MPI_Test(&all[0], &flag, MPI_STATUS_IGNORE);
  look("none complete");
  satisfy(3);
  MPI_Waitany(6, all, &index, MPI_STATUS_IGNORE);
  look("waitany 3");
  satisfy(1);
  for (flag = 0; !flag;) MPI_Testany(6, all, &index, &flag, MPI_STATUS_IGNORE);
  look("testany 1");
  satisfy(5);
  MPI_Waitsome(6, all, &count, indices, MPI_STATUSES_IGNORE);
  look("waitsome 5");
  satisfy(0);
  for (count = 0; !count;) MPI_Testsome(6, all, &count, indices, MPI_STATUSES_IGNORE);
  look("testsome 0");
  satisfy(2);
  for (flag = 0; !flag;) MPI_Test(&all[2], &flag, MPI_STATUS_IGNORE);
  look("test 2");
  MPI_Cancel(&all[4]);
  look("cancelled, not complete");
  MPI_Wait(&all[4], MPI_STATUS_IGNORE);
  look("wait 4");
  MPI_Waitany(6, all, &index, MPI_STATUS_IGNORE);
  MPI_Waitall(6, all, MPI_STATUSES_IGNORE);
  fill(all, 6);
  for (int i = 0; i < 6; i++) satisfy(i);
  MPI_Waitall(6, all, MPI_STATUSES_IGNORE);
  look("waitall");
  MPI_Request many[100];
  for (int i = 0; i < 100; i++) MPI_Irecv(in, 1, MPI_INT, 0, 9, comm, &many[i]);
  for (int i = 0; i < 100; i++) MPI_Send(out, 1, MPI_INT, 0, 9, comm);
  MPI_Waitall(100, many, MPI_STATUSES_IGNORE);
  look("a hundred");
}

// A message longer than the buffer: the operation is complete, with an error.
static void truncated(MPI_Request *receive) {
  MPI_Irecv(in, 1, MPI_INT, 0, 20, comm, receive);
  MPI_Send(out, 2, MPI_INT, 0, 20, comm);
}

static void errors(void) {
  MPI_Request receive[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[2];
  int index = 0, flag, count, indices[2], code;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  // The error handler is that of MPI_COMM_WORLD, because completion calls have no communicator.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
#define TRY(name, call)                                                                            \
  truncated(&receive[0]);                                                                          \
  for (flag = 0, code = MPI_SUCCESS; code == MPI_SUCCESS && receive[0] != MPI_REQUEST_NULL;)       \
    code = call;                                                                                   \
  say("gone", receive[0] == MPI_REQUEST_NULL);                                                     \
  look(name);                                                                                      \
  if (receive[0] != MPI_REQUEST_NULL) MPI_Request_free(&receive[0]);
  TRY("erroneous wait", MPI_Wait(&receive[0], statuses));
  TRY("erroneous test", MPI_Test(&receive[0], &flag, statuses));
  TRY("erroneous waitany", MPI_Waitany(2, receive, &index, statuses));
  TRY("erroneous testany", MPI_Testany(2, receive, &index, &flag, statuses));
  TRY("erroneous waitsome", MPI_Waitsome(2, receive, &count, indices, statuses));
  TRY("erroneous testsome", MPI_Testsome(2, receive, &count, indices, statuses));
  TRY("erroneous testall", MPI_Testall(2, receive, &flag, statuses));
  MPI_Irecv(in, 1, MPI_INT, 0, 30, comm, &receive[1]);
  TRY("erroneous waitall", (satisfy(20), MPI_Waitall(2, receive, statuses)));
  if (receive[1] != MPI_REQUEST_NULL) MPI_Wait(&receive[1], statuses);
}

static int nothing(void *state, MPI_Status *status) {
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int drop(void *state) {
  return MPI_SUCCESS;
}
static int cancel(void *state, int complete) {
  return MPI_SUCCESS;
}

static void exchange(MPI_Comm on) {
  MPI_Sendrecv(out, 1, MPI_INT, 0, 77, in, 1, MPI_INT, 0, 77, on, MPI_STATUS_IGNORE);
}

static void generalized(void) {
  MPI_Request request;
  MPI_Grequest_start(nothing, drop, cancel, NULL, &request);
  SAY(request);
  look("generalized");
  MPI_Grequest_complete(request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm copy;
  MPI_Comm_dup(comm, &copy);
  exchange(copy);
  MPI_Comm_free(&copy);
  MPI_Comm_idup(comm, &copy, &request); // mostly with the same handle
  SAY(copy);
  look("duplicating");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  exchange(copy);
  SAY(copy);
  look("duplicated");
  MPI_Comm_free(&copy);
  int made = MAKE(comm, &copy); // mostly with that handle, too
  NUMBER(made), SAY(copy);
  if (made) exchange(copy);
  look("made by an extension");
  if (made) MPI_Comm_free(&copy);
}

static void one_sided(void) {
  int *memory;
  MPI_Win win;
  MPI_Request get, put, accumulate, both;
  MPI_Win_allocate(256, sizeof(int), MPI_INFO_NULL, comm, &memory, &win);
  SAY(win);
  MPI_Win_lock_all(0, win);
  MPI_Rput(out, 2, MPI_INT, 0, 7, 2, MPI_INT, win, &put);
  SAY(put);
  look("rput");
  MPI_Wait(&put, MPI_STATUS_IGNORE);
  MPI_Rget(in, 2, MPI_INT, 0, 7, 2, MPI_INT, win, &get);
  SAY(get);
  look("rget");
  MPI_Wait(&get, MPI_STATUS_IGNORE);
  MPI_Raccumulate(out, 2, MPI_INT, 0, 7, 2, MPI_INT, MPI_SUM, win, &accumulate);
  SAY(accumulate);
  look("raccumulate");
  MPI_Wait(&accumulate, MPI_STATUS_IGNORE);
  MPI_Rget_accumulate(out, 2, MPI_INT, in, 2, MPI_INT, 0, 7, 2, MPI_INT, MPI_SUM, win, &both);
  SAY(both);
  look("rget_accumulate");
  MPI_Wait(&both, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  look("one-sided done");
}

static void files(const char *path) {
  MPI_File file;
  MPI_Request write, read;
  MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  SAY(file);
  MPI_File_iwrite_at(file, 8, out, 6, MPI_INT, &write);
  SAY(write);
  look("iwrite_at");
  MPI_Wait(&write, MPI_STATUS_IGNORE);
  MPI_File_iread(file, in, 6, MPI_INT, &read);
  SAY(read);
  look("iread");
  MPI_Wait(&read, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  look("files done");
}

static void isendrecv(void) {
#ifdef MPIPP_HAVE_Isendrecv
  MPI_Request exchange;
  MPI_Isendrecv(out, 3, MPI_INT, 0, 60, in, 4, MPI_INT, 0, 60, comm, &exchange);
  SAY(exchange);
  look("isendrecv");
  MPI_Wait(&exchange, MPI_STATUS_IGNORE);
  look("isendrecv done");
#endif
}

int main(int argc, char **argv) {
  MPI_Init(NULL, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  SAY(comm), ADDRESS(in), ADDRESS(out), SAY(MPI_REQUEST_NULL);
  simple();
  persistent();
  partitioned();
  completions();
  errors();
  generalized();
  one_sided();
  files(argv[1]);
  isendrecv();
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
