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
#include "mistaken_handles.h"
#include "mistaken_lifetime.h"
#include "mistaken_own_parts.h"
#include "mistaken_partitions.h"
#include "mistaken_topologies.h"
#include "mistaken_transfers.h"

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
