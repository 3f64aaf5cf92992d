// SPDX-License-Identifier: MIT
// Calls that are wrong, each with its finding of `mpipp check`, and similar calls that are correct.
// None of them reaches MPI (taken.c). One process.

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_sink.h"

static int numbers[64], flag;
// A buffer for data of any type.
static _Alignas(16) char out_room[512], in_room[512];
static double *const out = (double *)out_room, *const in = (double *)in_room;
static MPI_Comm comm = MPI_COMM_WORLD, made;
static MPI_Group all, group;
static MPI_Datatype type;
static MPI_Request request, requests[2];
static char room_for_more[2000];
static MPI_Win win;
static double *memory;

// These files use the macros above.
#include "mistaken_lifetime.h"
#include "mistaken_own_parts.h"
#include "mistaken_partitions.h"
#include "mistaken_topologies.h"
#include "mistaken_transfers.h"

static void handles(void) {
  MPI_Comm gone, copy;
  MPI_Op own, freed;
  MPI_Info info, gone_info;
  MPI_File file = MPI_FILE_NULL;
  MPI_Message message = MPI_MESSAGE_NULL;
  WRONG("null-handle: comm is MPI_COMM_NULL, but a communicator is needed",
        MPI_Send(out, 1, MPI_DOUBLE, 0, 0, MPI_COMM_NULL));
  WRONG("null-handle: comm is MPI_COMM_NULL, but a communicator is needed",
        MPI_Barrier(MPI_COMM_NULL));
  MPI_Datatype pair, gone_pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  gone_pair = pair;
  MPI_Type_free(&pair);
  WRONG("freed-datatype: a freed datatype is used", // also without data
        MPI_Alltoallv(out, numbers, numbers, gone_pair, in, numbers, numbers, MPI_INT, comm));
  MPI_Comm_dup(comm, &copy);
  gone = copy;
  MPI_Comm_free(&copy);
  WRONG("freed-handle: comm is the handle of a communicator that was freed", MPI_Barrier(gone));
  WRONG("null-handle: op is MPI_OP_NULL, but an operation is needed",
        MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_OP_NULL, comm));
  MPI_Op_create((MPI_User_function *)abort, 1, &own);
  freed = own;
  MPI_Op_free(&own);
  WRONG("freed-handle: op is the handle of an operation that was freed",
        MPI_Allreduce(out, in, 1, MPI_DOUBLE, freed, comm));
  WRONG("null-handle: win is MPI_WIN_NULL, but a window is needed", MPI_Win_fence(0, MPI_WIN_NULL));
  WRONG("null-handle: file is MPI_FILE_NULL, but a file is needed",
        MPI_File_write(file, out, 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
  MPI_Win no_window = MPI_WIN_NULL;
  WRONG("null-handle: win is MPI_WIN_NULL, but a window is needed", MPI_Win_free(&no_window));
  WRONG("null-handle: file is MPI_FILE_NULL, but a file is needed", MPI_File_close(&file));
  WRONG("null-handle: message is MPI_MESSAGE_NULL, but a message is needed",
        MPI_Mrecv(in, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE));
  message = MPI_MESSAGE_NO_PROC;
  RIGHT(MPI_Mrecv(in, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE));
  WRONG("null-handle: group is MPI_GROUP_NULL, but a group is needed",
        MPI_Group_incl(MPI_GROUP_NULL, 1, numbers, &group));
  WRONG("null-handle: group2 is MPI_GROUP_NULL, but a group is needed",
        MPI_Group_union(all, MPI_GROUP_NULL, &group));
  WRONG("null-handle: group is MPI_GROUP_NULL, but a group is needed",
        MPI_Comm_create(comm, MPI_GROUP_NULL, &made));
  RIGHT(MPI_Comm_create(comm, MPI_GROUP_EMPTY, &made));
  WRONG("null-handle: errhandler is MPI_ERRHANDLER_NULL, but an error handler is needed",
        MPI_Comm_set_errhandler(comm, MPI_ERRHANDLER_NULL));
  RIGHT(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
#if MPI_VERSION >= 4
  WRONG("null-handle: session is MPI_SESSION_NULL, but a session is needed",
        MPI_Session_get_info(MPI_SESSION_NULL, &info));
  MPI_Session no_session = MPI_SESSION_NULL;
  WRONG("null-handle: session is MPI_SESSION_NULL, but a session is needed",
        MPI_Session_finalize(&no_session));
#endif
  WRONG("null-handle: info is MPI_INFO_NULL, but an info is needed",
        MPI_Info_set(MPI_INFO_NULL, "key", "value"));
  MPI_Info_create(&info);
  RIGHT(MPI_Info_set(info, "key", "value"));
  gone_info = info;
  MPI_Info_free(&info);
  WRONG("freed-handle: info is the handle of an info that was freed",
        MPI_Info_delete(gone_info, "key"));
  requests[0] = MPI_REQUEST_NULL;
  WRONG("null-handle: request is MPI_REQUEST_NULL, but a request is needed", MPI_Start(requests));
  WRONG("null-handle: request is MPI_REQUEST_NULL, but a request is needed", MPI_Cancel(requests));
  WRONG("null-handle: request is MPI_REQUEST_NULL, but a request is needed",
        MPI_Request_free(requests));
  WRONG("argument: the number of requests is -1", MPI_Waitall(-1, requests, MPI_STATUSES_IGNORE));
  WRONG("argument: the array of requests is a null pointer, but 2 requests are needed",
        MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE));
  RIGHT(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
  RIGHT(MPI_Wait(requests, MPI_STATUS_IGNORE));
}

// "no-handle: comm is 0x55..., which is not a handle of a communicator", in `room`, for a handle of
// some bytes.
static const char *no_handle(char *room, const char *name, const void *handle, size_t size,
                             const char *noun) {
  unsigned long number = 0;
  memcpy(&number, handle, size);
  sprintf(room, "no-handle: %s is 0x%lx, which is not a handle of %s", name, number, noun);
  return room;
}

static void others(void) {
  static char room[4][100];
  MPI_Datatype number = MPI_INT;
  MPI_Op sum = MPI_SUM;
  WRONG(no_handle(room[0], "op", &number, sizeof number, "an operation"),
        MPI_Allreduce(out, in, 1, MPI_DOUBLE, (MPI_Op)MPI_INT, comm));
  WRONG(no_handle(room[1], "comm", &number, sizeof number, "a communicator"),
        MPI_Barrier((MPI_Comm)MPI_INT));
  WRONG(no_handle(room[2], "the datatype of buf", &sum, sizeof sum, "a datatype"),
        MPI_Send(out, 1, (MPI_Datatype)MPI_SUM, 0, 0, comm));
  MPI_Comm none = MPI_COMM_NULL;
  WRONG(no_handle(room[3], "group", &none, sizeof none, "a group"),
        MPI_Group_incl((MPI_Group)MPI_COMM_NULL, 1, numbers, &group));
}

#ifdef OPEN_MPI
static void addresses(void) {
  static char room[2][100], *zeros[512], *filled[512];
  zeros[1] = filled[0] = (char *)room; // the first word of an object is not 0
  char *const here = (char *)zeros;
  WRONG("no-handle: comm is 0x10, which is not a handle of a communicator",
        MPI_Barrier((MPI_Comm)0x10));
  WRONG(no_handle(room[0], "comm", &here, sizeof here, "a communicator"),
        MPI_Barrier((MPI_Comm)zeros));
  WRONG(no_handle(room[1], "the datatype of buf", &here, sizeof here, "a datatype"),
        MPI_Send(out, 1, (MPI_Datatype)zeros, 0, 0, comm));
  RIGHT(MPI_Barrier((MPI_Comm)filled)); // may be an object made without the recorder
}
#endif

static void garbage(void) {
  void *zero = 0;
  int *one = (int[]){1};
  MPI_Datatype number = MPI_INT;
  memset(&type, 0, sizeof type);
  memset(&requests, 0, sizeof requests);
  memcpy(&made, &zero, sizeof made);
  WRONG("no-handle: the datatype of buf is 0x0, which is not a handle of a datatype",
        MPI_Send(out, 1, type, 0, 0, comm));
  WRONG("no-handle: comm is 0x0, which is not a handle of a communicator", MPI_Barrier(made));
  WRONG("no-handle: array_of_requests[0] is 0x0, which is not a handle of a request",
        MPI_Waitall(1, requests, MPI_STATUSES_IGNORE));
  WRONG("no-handle: oldtype is 0x0, which is not a handle of a datatype",
        MPI_Type_contiguous(3, type, &type));
#ifdef MPICH_NUMVERSION // its handles contain their kind
  WRONG("no-handle: comm is 0x4c000405, which is not a handle of a communicator",
        MPI_Barrier((MPI_Comm)0x4c000405)); // MPI_INT
#endif
  others();
#ifdef OPEN_MPI // handles of Open MPI are addresses
  addresses();
#endif
  WRONG("no-handle: the datatype of sendbuf for rank 0 is 0x0, which is not a handle of a datatype",
        MPI_Alltoallw(out, one, numbers, &type, in, one, numbers, &number, comm));
  RIGHT(MPI_Alltoallw(out, numbers, numbers, &type, in, numbers, numbers, &type, comm));
  RIGHT(MPI_Waitall(0, requests, MPI_STATUSES_IGNORE));
  RIGHT(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, numbers, numbers,
                      (MPI_Datatype[]){MPI_INT}, comm));
  RIGHT(MPI_Allgather(MPI_IN_PLACE, 0, type, in, 1, MPI_INT, comm));
}

static void requests_started(void) {
  MPI_Irecv(in, 1, MPI_DOUBLE, 0, 7, comm, &request);
  WRONG("not-persistent: request is started, but it is not persistent: MPI_Irecv created it",
        MPI_Start(&request));
  MPI_Send(out, 1, MPI_DOUBLE, 0, 7, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Send_init(out, 1, MPI_DOUBLE, 0, 7, comm, &request);
  RIGHT(MPI_Start(&request));
  MPI_Start(&request);
  WRONG("already-active: request is started again, but its previous operation is not complete",
        MPI_Start(&request));
  requests[0] = request;
  WRONG("already-active: array_of_requests[0] is started again, but its previous operation is not "
        "complete",
        MPI_Startall(1, requests));
  MPI_Recv(in, 1, MPI_DOUBLE, 0, 7, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  RIGHT(MPI_Start(&request));
  MPI_Send_init(out, 1, MPI_DOUBLE, 0, 7, comm, &requests[0]);
  requests[1] = request;
  RIGHT(MPI_Startall(2, requests));
  requests[1] = requests[0];
  WRONG("already-active: array_of_requests[1] is the same request as array_of_requests[0]",
        MPI_Startall(2, requests));
  MPI_Request_free(&requests[0]);
  RIGHT(MPI_Request_free(&request));
  MPI_Request_free(&request);
  MPI_Irecv(in, 1, MPI_DOUBLE, 0, 8, comm, &request);
  WRONG("freed-active: the request of MPI_Irecv is freed while a message is being received",
        MPI_Request_free(&request));
  RIGHT(MPI_Cancel(&request));
  MPI_Send(out, 1, MPI_DOUBLE, 0, 8, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(in, 1, MPI_DOUBLE, MPI_PROC_NULL, 8, comm, &request);
  RIGHT(MPI_Request_free(&request));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ibarrier(comm, &request);
  WRONG("freed-active: the request of MPI_Ibarrier is freed while the operation is active",
        MPI_Request_free(&request));
  WRONG("freed-active: the request of MPI_Ibarrier is cancelled while the operation is active",
        MPI_Cancel(&request));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

#define COPY(what) "freed-handle: " what " is a copy of the handle of a "

// Handles of completed operations that no new operation has taken over.
static void handles_used_again(void) {
  MPI_Request copy, gone[2];
  MPI_Message message, same;
  int index;
  MPI_Irecv(in, 1, MPI_DOUBLE, 0, 7, comm, &request);
  copy = request;
  RIGHT(MPI_Test(&copy, &flag, MPI_STATUS_IGNORE));
  MPI_Send(out, 1, MPI_DOUBLE, 0, 7, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  RIGHT(MPI_Wait(&request, MPI_STATUS_IGNORE));
  gone[0] = MPI_REQUEST_NULL;
  gone[1] = copy;
  WRONG(COPY("request") "receive that has completed", MPI_Wait(&copy, MPI_STATUS_IGNORE));
  WRONG(COPY("request") "receive that has completed", MPI_Test(&copy, &flag, MPI_STATUS_IGNORE));
  WRONG(COPY("array_of_requests[1]") "receive that has completed",
        MPI_Waitany(2, gone, &index, MPI_STATUS_IGNORE));
  WRONG(COPY("array_of_requests[1]") "receive that has completed",
        MPI_Testall(2, gone, &flag, MPI_STATUSES_IGNORE));
  MPI_Request many[4];
  for (int i = 0; i < 3; i++) MPI_Irecv(in + i, 1, MPI_DOUBLE, 0, 7, comm, &many[i]);
  many[3] = many[0];
  WRONG("freed-handle: array_of_requests[3] is the same request as array_of_requests[0]",
        MPI_Waitall(4, many, MPI_STATUSES_IGNORE));
  WRONG("freed-handle: array_of_requests[3] is the same request as array_of_requests[0]",
        MPI_Testsome(4, many, &index, numbers, MPI_STATUSES_IGNORE));
  RIGHT(MPI_Waitany(4, many, &index, MPI_STATUS_IGNORE)); // one of them is complete
  many[3] = gone[0];
  for (int i = 0; i < 3; i++) MPI_Send(out, 1, MPI_DOUBLE, 0, 7, comm);
  MPI_Waitall(3, many, MPI_STATUSES_IGNORE);
  RIGHT(MPI_Waitall(4, many, MPI_STATUSES_IGNORE)); // some handles may be null
  WRONG(COPY("request") "receive that has completed", MPI_Cancel(&copy));
  WRONG(COPY("request") "receive that has completed", MPI_Request_free(&copy));
  WRONG(COPY("request") "receive that has completed", MPI_Start(&copy));
  MPI_Isend(out, 1, MPI_DOUBLE, 0, 7, comm, &requests[0]);
  MPI_Isend(out, 1, MPI_DOUBLE, 0, 7, comm, &requests[1]);
  MPI_Recv(in, 1, MPI_DOUBLE, 0, 7, comm, MPI_STATUS_IGNORE);
  MPI_Recv(in, 1, MPI_DOUBLE, 0, 7, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  copy = requests[1];
  RIGHT(MPI_Wait(&copy, MPI_STATUS_IGNORE)); // the handles of both may be equal
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  WRONG(COPY("request") "send that has completed", MPI_Wait(&copy, MPI_STATUS_IGNORE));
  MPI_Send_init(out, 1, MPI_DOUBLE, 0, 7, comm, &request);
  copy = request;
  MPI_Request_free(&request);
  WRONG("freed-handle: request is the handle of a request that was freed", MPI_Start(&copy));
  MPI_Isend(out, 1, MPI_DOUBLE, 0, 9, comm, &requests[0]);
  MPI_Mprobe(0, 9, comm, &message, MPI_STATUS_IGNORE);
  same = message;
  RIGHT(MPI_Mrecv(in, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE));
  MPI_Mrecv(in, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  WRONG("freed-handle: message is the handle of a message that was received",
        MPI_Imrecv(in, 1, MPI_DOUBLE, &same, &request));
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  WRONG("null-handle: message is MPI_MESSAGE_NULL, but a message is needed",
        MPI_Mrecv(in, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE));
}

static void reductions(void) {
  MPI_Op own;
  MPI_Datatype two, same;
  MPI_Op_create((MPI_User_function *)abort, 1, &own);
  MPI_Type_contiguous(2, MPI_INT, &two);
  MPI_Type_commit(&two);
  MPI_Type_dup(MPI_INT, &same);
  WRONG("op-not-allowed: MPI_REPLACE must not be passed to MPI_Allreduce",
        MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_REPLACE, comm));
  WRONG("op-not-allowed: MPI_NO_OP must not be passed to MPI_Scan",
        MPI_Scan(out, in, 1, MPI_DOUBLE, MPI_NO_OP, comm));
  WRONG("op-not-allowed: MPI_NO_OP must not be passed to MPI_Accumulate",
        MPI_Accumulate(out, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_NO_OP, win));
  WRONG("op-not-allowed: a user-defined operation is passed to MPI_Accumulate",
        MPI_Accumulate(out, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, own, win));
  RIGHT(MPI_Accumulate(out, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_REPLACE, win));
  RIGHT(MPI_Fetch_and_op(out, in, MPI_DOUBLE, 0, 0, MPI_NO_OP, win));
  WRONG("op-type: MPI_BAND is not defined for MPI_DOUBLE (sendbuf): that is one of the floating "
        "point types",
        MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_BAND, comm));
  WRONG("op-type: MPI_LAND is not defined for MPI_DOUBLE (recvbuf): that is one of the floating "
        "point types",
        MPI_Allreduce(MPI_IN_PLACE, in, 1, MPI_DOUBLE, MPI_LAND, comm));
  WRONG("op-type: MPI_MAX is not defined for MPI_CHAR (sendbuf): characters cannot be reduced",
        MPI_Allreduce(out, in, 1, MPI_CHAR, MPI_MAX, comm));
  WRONG("op-type: MPI_MAXLOC is not defined for MPI_DOUBLE (sendbuf): that is one of the floating "
        "point types",
        MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_MAXLOC, comm));
  WRONG("op-type: MPI_MAX is not defined for MPI_DOUBLE_INT (sendbuf): that is one of the pairs",
        MPI_Allreduce(out, in, 1, MPI_DOUBLE_INT, MPI_MAX, comm));
  WRONG("op-type: MPI_SUM reduces CONTIGUOUS, which is a derived datatype",
        MPI_Allreduce(out, in, 1, two, MPI_SUM, comm));
  RIGHT(MPI_Allreduce(out, in, 1, two, own, comm));
  RIGHT(MPI_Allreduce(out, in, 1, same, MPI_SUM, comm));
  RIGHT(MPI_Allreduce(out, in, 1, MPI_BYTE, MPI_BXOR, comm));
  RIGHT(MPI_Allreduce(out, in, 1, MPI_C_BOOL, MPI_LXOR, comm));
  RIGHT(MPI_Allreduce(out, in, 1, MPI_AINT, MPI_MIN, comm));
  RIGHT(MPI_Allreduce(out, in, 1, MPI_2INT, MPI_MINLOC, comm));
  RIGHT(MPI_Accumulate(numbers, 1, two, 0, 0, 1, two, MPI_SUM, win));
  MPI_Type_free(&two);
  MPI_Type_free(&same);
  MPI_Op_free(&own);
}

static void tags(void) {
  int *most;
  MPI_Comm_get_attr(comm, MPI_TAG_UB, &most, &flag);
  RIGHT(MPI_Recv(in, 1, MPI_DOUBLE, 0, *most, comm, MPI_STATUS_IGNORE));
  if (*most == INT32_MAX) return;
  static char what[128];
  const char *format = "argument: tag is %d, but the largest tag of this library is %d";
  snprintf(what, sizeof what, format, *most + 1, *most);
  WRONG(what, MPI_Recv(in, 1, MPI_DOUBLE, 0, *most + 1, comm, MPI_STATUS_IGNORE));
}

static void windows(void) {
  WRONG("window-argument: size is -8", MPI_Win_create(out, -8, 8, MPI_INFO_NULL, comm, &win));
  WRONG("window-argument: disp_unit is 0", MPI_Win_create(out, 8, 0, MPI_INFO_NULL, comm, &win));
  RIGHT(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, comm, &win));
  WRONG("window-argument: base is a null pointer, but size is 8",
        MPI_Win_create(NULL, 8, 1, MPI_INFO_NULL, comm, &win));
  WRONG(
      "outside-window: MPI_Put writes the bytes [488, 520) of the window of rank 0, which has 512",
      MPI_Put(out, 4, MPI_DOUBLE, 0, 61, 4, MPI_DOUBLE, win));
  WRONG("outside-window: MPI_Get reads the bytes [-8, 0) of the window of rank 0, which has 512",
        MPI_Get(in, 1, MPI_DOUBLE, 0, -1, 1, MPI_DOUBLE, win));
  WRONG("argument: target_rank is 1, but the window has only rank 0",
        MPI_Get(in, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win));
  WRONG("outside-window: MPI_Fetch_and_op changes the bytes [1024, 1032) of the window of rank 0, "
        "which has 512",
        MPI_Fetch_and_op(out, in, MPI_DOUBLE, 0, 128, MPI_SUM, win));
  RIGHT(MPI_Put(out, 4, MPI_DOUBLE, 0, 60, 4, MPI_DOUBLE, win));
  RIGHT(MPI_Put(out, 0, MPI_DOUBLE, 0, 70, 0, MPI_DOUBLE, win));
  RIGHT(MPI_Put(out, 4, MPI_DOUBLE, MPI_PROC_NULL, 70, 4, MPI_DOUBLE, win));
}

#define ROOM (1000 + MPI_BSEND_OVERHEAD)
#define NEEDS(call, bytes)                                                                         \
  "attached-buffer: " call " needs " bytes " bytes, but the attached buffer has "

static void attached(void) {
  static char room[ROOM + 8], too_large[200], started[200], of_comm[200];
  int size;
  void *gone;
  snprintf(too_large, sizeof too_large, NEEDS("MPI_Bsend", "%d") "%d", 1001 + MPI_BSEND_OVERHEAD,
           ROOM);
  snprintf(started, sizeof started, NEEDS("MPI_Bsend_init", "%d") "%d", 2000 + MPI_BSEND_OVERHEAD,
           ROOM);
  WRONG("attached-buffer: MPI_Bsend needs an attached buffer, but there is none",
        MPI_Bsend(out, 1, MPI_CHAR, 0, 0, comm));
  RIGHT(MPI_Bsend(out, 0, MPI_CHAR, 0, 0, comm));
  RIGHT(MPI_Bsend(out, 1, MPI_CHAR, MPI_PROC_NULL, 0, comm));
  MPI_Buffer_attach(room, ROOM);
  RIGHT(MPI_Bsend(in, 500, MPI_CHAR, 0, 0, comm));
  RIGHT(MPI_Bsend(room + ROOM, 8, MPI_CHAR, 0, 0, comm));
  WRONG("attached-buffer: MPI_Bsend sends from the attached buffer",
        MPI_Bsend(room + ROOM - 1, 8, MPI_CHAR, 0, 0, comm));
  RIGHT(MPI_Ibsend(room_for_more, 1000, MPI_CHAR, 0, 0, comm, &request));
  WRONG(too_large, MPI_Bsend(room_for_more, 1001, MPI_CHAR, 0, 0, comm));
  WRONG("attached-buffer: a buffer is attached, but another buffer is already attached",
        MPI_Buffer_attach(out, 100));
  RIGHT(MPI_Bsend_init(room_for_more, 500, MPI_INT, 0, 0, comm, &request));
  MPI_Bsend_init(room_for_more, 500, MPI_INT, 0, 0, comm, &request);
  WRONG(started, MPI_Start(&request));
  MPI_Request_free(&request);
  MPI_Bsend_init(room_for_more, 250, MPI_INT, 0, 0, comm, &request);
  RIGHT(MPI_Start(&request));
  MPI_Request_free(&request);
  MPI_Buffer_detach(&gone, &size);
  RIGHT(MPI_Buffer_attach(room, 100));
  WRONG("attached-buffer: MPI_Ibsend needs an attached buffer, but there is none",
        MPI_Ibsend(out, 1, MPI_CHAR, 0, 0, comm, &request));
  RIGHT(MPI_Buffer_detach(&gone, &size));
#ifdef MPI_BUFFER_AUTOMATIC
  MPI_Comm own;
  snprintf(of_comm, sizeof of_comm, NEEDS("MPI_Bsend", "%d") "%d", 1001 + MPI_BSEND_OVERHEAD, ROOM);
  MPI_Comm_dup(comm, &own);
  MPI_Comm_attach_buffer(own, room, ROOM);
  RIGHT(MPI_Bsend(room_for_more, 1000, MPI_CHAR, 0, 0, own));
  WRONG(of_comm, MPI_Bsend(room_for_more, 1001, MPI_CHAR, 0, 0, own));
  WRONG("attached-buffer: MPI_Bsend needs an attached buffer, but there is none",
        MPI_Bsend(out, 1, MPI_CHAR, 0, 0, comm));
  WRONG("attached-buffer: a buffer is attached, but another buffer is already attached",
        MPI_Comm_attach_buffer(own, out, 100));
  MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
  RIGHT(MPI_Bsend(room_for_more, 2000, MPI_CHAR, 0, 0, comm));
  WRONG(of_comm, MPI_Bsend(room_for_more, 1001, MPI_CHAR, 0, 0, own));
  MPI_Comm_detach_buffer(own, &gone, &size);
  RIGHT(MPI_Bsend(room_for_more, 2000, MPI_CHAR, 0, 0, own));
  MPI_Buffer_detach(&gone, &size);
  MPI_Comm_free(&own);
#else
  (void)of_comm;
#endif
}

// Several messages wait in the attached buffer at the same time.
static void filled(void) {
  static char room[2 * ROOM], sink[1000], all[200];
  int size;
  void *gone;
  snprintf(all, sizeof all,
           "attached-buffer: 3 buffered sends need %d bytes, but the attached buffer has %d",
           3 * ROOM, 2 * ROOM);
  MPI_Buffer_attach(room, sizeof room);
  MPI_Bsend(room_for_more, 1000, MPI_CHAR, 0, 8, comm);
  MPI_Ibsend(room_for_more, 1000, MPI_CHAR, 0, 8, comm, &requests[0]);
  RIGHT(MPI_Bsend(out, 1, MPI_CHAR, MPI_PROC_NULL, 0, comm));
  MPI_Recv(sink, 1000, MPI_CHAR, 0, 8, comm, MPI_STATUS_IGNORE);
  RIGHT(MPI_Bsend(room_for_more, 1000, MPI_CHAR, 0, 8, comm));
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Recv(sink, 1000, MPI_CHAR, 0, 8, comm, MPI_STATUS_IGNORE);
  MPI_Bsend(room_for_more, 1000, MPI_CHAR, 0, 8, comm);
  MPI_Bsend(room_for_more, 1000, MPI_CHAR, 0, 8, comm);
  WRONG(all, MPI_Bsend(room_for_more, 1000, MPI_CHAR, 0, 8, comm));
  for (int i = 0; i < 2; i++) MPI_Recv(sink, 1000, MPI_CHAR, 0, 8, comm, MPI_STATUS_IGNORE);
  MPI_Buffer_detach(&gone, &size);
}

static void freed(void) {
  MPI_Comm copy, other = MPI_COMM_NULL, world = MPI_COMM_WORLD;
  MPI_Op sum = MPI_SUM, no_op = MPI_OP_NULL;
  MPI_Info info, no_info = MPI_INFO_NULL;
  MPI_Group no_group = MPI_GROUP_NULL;
  const char *in_use = "wrong-free: MPI_Comm_free is called for a communicator on which an "
                       "operation is pending";
  WRONG("null-handle: comm is MPI_COMM_NULL, but a communicator is needed", MPI_Comm_free(&other));
  WRONG("wrong-free: MPI_COMM_WORLD is passed to MPI_Comm_free", MPI_Comm_free(&world));
  WRONG("wrong-free: MPI_COMM_WORLD is passed to MPI_Comm_disconnect", MPI_Comm_disconnect(&world));
  WRONG("wrong-free: MPI_SUM is passed to MPI_Op_free", MPI_Op_free(&sum));
  WRONG("null-handle: op is MPI_OP_NULL, but an operation is needed", MPI_Op_free(&no_op));
  WRONG("null-handle: info is MPI_INFO_NULL, but an info is needed", MPI_Info_free(&no_info));
  WRONG("null-handle: group is MPI_GROUP_NULL, but a group is needed", MPI_Group_free(&no_group));
  MPI_Info_create(&info);
  RIGHT(MPI_Info_free(&info));
  no_info = info;
  MPI_Info_free(&info);
  WRONG("freed-handle: info is the handle of an info that was freed", MPI_Info_free(&no_info));
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_dup(comm, &other);
  MPI_Irecv(in, 1, MPI_DOUBLE, 0, 1, copy, &requests[0]);
  MPI_Recv_init(out, 1, MPI_DOUBLE, 0, 1, copy, &requests[1]); // not started
  RIGHT(MPI_Comm_free(&other));
  WRONG(in_use, MPI_Comm_free(&copy));
  MPI_Irecv(in + 1, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 1, copy, &request);
  WRONG("wrong-free: MPI_Comm_disconnect is called for a communicator on which 2 operations are "
        "pending",
        MPI_Comm_disconnect(&copy));
  for (int i = 0; i < 2; i++) MPI_Send(in + 3, 1, MPI_DOUBLE, 0, 1, copy);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Comm gone = copy;
  MPI_Comm_free(&copy); // with one that is pending
  WRONG("freed-handle: comm is the handle of a communicator that was freed", MPI_Comm_free(&gone));
  MPI_Comm_dup(comm, &copy); // the new communicator may get that handle
  RIGHT(MPI_Comm_free(&copy));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[1]);
  RIGHT(MPI_Comm_disconnect(&copy));
  MPI_Comm_disconnect(&copy);
  MPI_Comm_free(&other);
}

static const char *read_only(const char *what, const void *address) {
  static char said[100];
  snprintf(said, sizeof said, "read-only-buffer: MPI_%s in read-only memory at %p", what, address);
  return said;
}

static void constants(void) {
  static const double number = 1;
  RIGHT(MPI_Send(&number, 1, MPI_DOUBLE, 0, 0, comm));
  RIGHT(MPI_Recv((void *)&number, 0, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE));
  RIGHT(MPI_Recv((void *)&number, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE));
  WRONG(read_only("Recv writes to buf", &number),
        MPI_Recv((void *)&number, 1, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE));
  WRONG(read_only("Get writes to origin_addr", &number),
        MPI_Get((void *)&number, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, win));
  WRONG(read_only("Allreduce writes to recvbuf", &number),
        MPI_Allreduce(out, (void *)&number, 1, MPI_DOUBLE, MPI_SUM, comm));
}

int main(int argc, char **argv) {
  if (!find_next()) return 64;
  early();
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &flag); // the program still uses one thread
  MPI_Comm_group(comm, &all);
  MPI_Win_allocate(sizeof out_room, sizeof *out, MPI_INFO_NULL, comm, &memory, &win);
  handles();
  garbage();
  requests_started();
  handles_used_again();
#if MPI_VERSION >= 4
  partitions();
#endif
  reductions();
  RIGHT(MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, comm));
  tags();
  topologies();
  groups();
  windows();
  transfers();
  own_parts();
  attached();
  filled();
  constants();
  freed();
  WRONG("lifetime: MPI_Init is called, but MPI is already initialized", MPI_Init(&argc, &argv));
  MPI_Group_free(&all);
  MPI_Win_free(&win);
  MPI_Finalize();
  late();
  return 0;
}
