// SPDX-License-Identifier: MIT
// Calls that are wrong, each with what `mpipp check` says of it, and calls that are right although
// they look like them. None of them reaches MPI (taken.c). One process.
//
//   WRONG("check: what is found", call);          RIGHT(call);

#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of this file alone: the strings are for the test to read.
#define WRONG(what, call) (*next = what, (void)(call))
#define RIGHT(call) WRONG("", call)

static const char *volatile *next;
static int numbers[64], flag;
// Bytes, for data of any type.
static _Alignas(16) char out_room[512], in_room[512];
static double *const out = (double *)out_room, *const in = (double *)in_room;
static MPI_Comm comm = MPI_COMM_WORLD, made;
static MPI_Group all, group;
static MPI_Datatype type;
static MPI_Request request, requests[2];
static char room_for_more[2000];
static MPI_Win win;
static double *memory;

static void early(void) {
  WRONG("lifetime: MPI_Send is called before MPI is initialised",
        MPI_Send(out, 1, MPI_DOUBLE, 0, 0, comm));
  MPI_Info info;
  RIGHT(MPI_Info_create(&info));
}

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
  WRONG("freed-datatype: a datatype is used that was freed", // also where there is no data
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
  RIGHT(MPI_Wait(requests, MPI_STATUS_IGNORE));
}

static void garbage(void) {
  void *zero = 0;
  int *one = (int[]){1};
  MPI_Datatype number = MPI_INT;
  memset(&type, 0, sizeof type);
  memset(&requests, 0, sizeof requests);
  memcpy(&made, &zero, sizeof made);
  WRONG("no-handle: the datatype of buf is 0x0, which is no handle of a datatype",
        MPI_Send(out, 1, type, 0, 0, comm));
  WRONG("no-handle: comm is 0x0, which is no handle of a communicator", MPI_Barrier(made));
  WRONG("no-handle: array_of_requests[0] is 0x0, which is no handle of a request",
        MPI_Waitall(1, requests, MPI_STATUSES_IGNORE));
  WRONG("no-handle: oldtype is 0x0, which is no handle of a datatype",
        MPI_Type_contiguous(3, type, &type));
#ifdef MPICH_NUMVERSION // its handles tell what they are of
  WRONG("no-handle: comm is 0x4c000405, which is no handle of a communicator",
        MPI_Barrier((MPI_Comm)0x4c000405)); // MPI_INT
#endif
  WRONG("no-handle: the datatype of sendbuf for rank 0 is 0x0, which is no handle of a datatype",
        MPI_Alltoallw(out, one, numbers, &type, in, one, numbers, &number, comm));
  RIGHT(MPI_Alltoallw(out, numbers, numbers, &type, in, numbers, numbers, &type, comm));
  RIGHT(MPI_Waitall(0, requests, MPI_STATUSES_IGNORE));
  RIGHT(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, numbers, numbers,
                      (MPI_Datatype[]){MPI_INT}, comm));
  RIGHT(MPI_Allgather(MPI_IN_PLACE, 0, type, in, 1, MPI_INT, comm));
}

static void requests_started(void) {
  MPI_Irecv(in, 1, MPI_DOUBLE, 0, 7, comm, &request);
  WRONG("not-persistent: request is started, but not persistent: it was made by MPI_Irecv",
        MPI_Start(&request));
  MPI_Send(out, 1, MPI_DOUBLE, 0, 7, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Send_init(out, 1, MPI_DOUBLE, 0, 7, comm, &request);
  RIGHT(MPI_Start(&request));
  MPI_Start(&request);
  WRONG("already-active: request is started, but the operation that it was started for is not "
        "complete",
        MPI_Start(&request));
  requests[0] = request;
  WRONG("already-active: array_of_requests[0] is started, but the operation that it was started "
        "for is not complete",
        MPI_Startall(1, requests));
  MPI_Recv(in, 1, MPI_DOUBLE, 0, 7, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  RIGHT(MPI_Start(&request));
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

// Of what is over; not what others are that have its handle.
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
  WRONG(COPY("request") "receive that is complete", MPI_Wait(&copy, MPI_STATUS_IGNORE));
  WRONG(COPY("request") "receive that is complete", MPI_Test(&copy, &flag, MPI_STATUS_IGNORE));
  WRONG(COPY("array_of_requests[1]") "receive that is complete",
        MPI_Waitany(2, gone, &index, MPI_STATUS_IGNORE));
  WRONG(COPY("array_of_requests[1]") "receive that is complete",
        MPI_Testall(2, gone, &flag, MPI_STATUSES_IGNORE));
  WRONG(COPY("request") "receive that is complete", MPI_Cancel(&copy));
  WRONG(COPY("request") "receive that is complete", MPI_Request_free(&copy));
  WRONG(COPY("request") "receive that is complete", MPI_Start(&copy));
  MPI_Isend(out, 1, MPI_DOUBLE, 0, 7, comm, &requests[0]);
  MPI_Isend(out, 1, MPI_DOUBLE, 0, 7, comm, &requests[1]);
  MPI_Recv(in, 1, MPI_DOUBLE, 0, 7, comm, MPI_STATUS_IGNORE);
  MPI_Recv(in, 1, MPI_DOUBLE, 0, 7, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  copy = requests[1];
  RIGHT(MPI_Wait(&copy, MPI_STATUS_IGNORE)); // handles of both may be alike
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  WRONG(COPY("request") "send that is complete", MPI_Wait(&copy, MPI_STATUS_IGNORE));
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

#if MPI_VERSION >= 4
static void partitions(void) {
  MPI_Request parts, into;
  static double data[16];
  static char with_irecv[200], with_recv[200], in_parts[200], starts[200];
  const char *shared = "buffer-overlap: %s write and read the same memory, [%p, %p)";
  snprintf(with_irecv, sizeof with_irecv, shared, "MPI_Psend_init and MPI_Irecv",
           (void *)(data + 6), (void *)(data + 7));
  snprintf(in_parts, sizeof in_parts, shared, "MPI_Send and MPI_Precv_init", (void *)(in + 7),
           (void *)(in + 8));
  snprintf(starts, sizeof starts, "buffer-overlap: %s write the same memory, [%p, %p)",
           "MPI_Precv_init and MPI_Irecv", (void *)(in + 2), (void *)(in + 3));
  snprintf(with_recv, sizeof with_recv, shared, "MPI_Recv and MPI_Psend_init", (void *)(data + 7),
           (void *)(data + 8));
  MPI_Psend_init(data, 4, 2, MPI_DOUBLE, 0, 3, comm, MPI_INFO_NULL, &parts);
  MPI_Precv_init(in, 4, 2, MPI_DOUBLE, 0, 3, comm, MPI_INFO_NULL, &into);
  MPI_Start(&parts);
  MPI_Start(&into);
  WRONG("partition: partition 4 is marked ready, but the send has 4 partitions",
        MPI_Pready(4, parts));
  WRONG("partition: partition -1 is marked ready, but the send has 4 partitions",
        MPI_Pready_range(-1, 0, parts));
  WRONG("partition: partition 7 is marked ready, but the send has 4 partitions",
        MPI_Pready_list(2, (int[]){1, 7}, parts));
  WRONG("partition: the request of MPI_Precv_init is none of a partitioned send",
        MPI_Pready(0, into));
  RIGHT(MPI_Pready_list(0, NULL, parts));
  RIGHT(MPI_Pready_list(2, (int[]){3, 0}, parts));
  WRONG("partition: partition 3 is marked ready again",
        MPI_Pready_list(3, (int[]){3, 0, 3}, parts));
  MPI_Irecv(data + 6, 1, MPI_DOUBLE, 0, 4, comm, &request);
  RIGHT(MPI_Pready_range(0, 2, parts));
  WRONG(with_irecv, MPI_Pready_list(2, (int[]){1, 3}, parts)); // at once
  MPI_Pready_range(0, 2, parts);
  WRONG("partition: partition 1 is marked ready again", MPI_Pready(1, parts));
  WRONG("partition: partition 1 is marked ready again", MPI_Pready_range(1, 2, parts));
  WRONG("partition: partition 4 is asked for, but the receive has 4 partitions",
        MPI_Parrived(into, 4, &flag));
  WRONG("partition: the request of MPI_Psend_init is none of a partitioned receive",
        MPI_Parrived(parts, 0, &flag));
  RIGHT(MPI_Parrived(into, 3, &flag));
  RIGHT(MPI_Parrived(MPI_REQUEST_NULL, 3, &flag));
  WRONG("freed-active: the request of MPI_Precv_init is freed while the operation is active",
        MPI_Request_free(&into));
  WRONG("freed-active: the request of MPI_Psend_init is cancelled while the operation is active",
        MPI_Cancel(&parts));
  WRONG(in_parts, MPI_Send(in + 7, 1, MPI_DOUBLE, 0, 5, comm)); // nothing is said to be there
  RIGHT(MPI_Send(data, 3, MPI_DOUBLE, 0, 5, comm));
  RIGHT(MPI_Irecv(data + 7, 1, MPI_DOUBLE, 0, 5, comm, &requests[0])); // not yet marked
  WRONG(with_irecv, MPI_Pready(3, parts));                             // the last one
  MPI_Send(out, 1, MPI_DOUBLE, 0, 4, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  RIGHT(MPI_Pready(3, parts));
  MPI_Pready(3, parts);
  RIGHT(MPI_Send(data, 8, MPI_DOUBLE, 0, 5, comm));
  WRONG(with_recv, MPI_Recv(data + 7, 1, MPI_DOUBLE, 0, 5, comm, MPI_STATUS_IGNORE));
  MPI_Wait(&parts, MPI_STATUS_IGNORE);
  MPI_Wait(&into, MPI_STATUS_IGNORE);
  RIGHT(MPI_Recv(data + 7, 1, MPI_DOUBLE, 0, 5, comm, MPI_STATUS_IGNORE));
  WRONG("partition: partition 1 is marked ready, but the send has not been started",
        MPI_Pready(1, parts));
  RIGHT(MPI_Parrived(into, 1, &flag));
  RIGHT(MPI_Send(in + 7, 1, MPI_DOUBLE, 0, 5, comm));
  MPI_Start(&parts);
  RIGHT(MPI_Pready(1, parts)); // a new round
  MPI_Irecv(in + 2, 1, MPI_DOUBLE, 0, 4, comm, &request);
  WRONG(starts, MPI_Start(&into));
  MPI_Send(out, 1, MPI_DOUBLE, 0, 4, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  RIGHT(MPI_Start(&into));
  MPI_Start(&into);
  MPI_Pready_range(0, 3, parts);
  for (flag = 0; !flag;) MPI_Parrived(into, 2, &flag);
  RIGHT(MPI_Send(in + 4, 1, MPI_DOUBLE, 0, 5, comm));
  WRONG(in_parts, MPI_Send(in + 7, 1, MPI_DOUBLE, 0, 5, comm)); // not asked for
  MPI_Wait(&parts, MPI_STATUS_IGNORE);
  MPI_Wait(&into, MPI_STATUS_IGNORE);
  MPI_Request_free(&parts);
  MPI_Request_free(&into);
}
#endif

static void reductions(void) {
  MPI_Op own;
  MPI_Datatype two, same;
  MPI_Op_create((MPI_User_function *)abort, 1, &own);
  MPI_Type_contiguous(2, MPI_INT, &two);
  MPI_Type_commit(&two);
  MPI_Type_dup(MPI_INT, &same);
  WRONG("op-not-allowed: MPI_Allreduce must not be given MPI_REPLACE",
        MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_REPLACE, comm));
  WRONG("op-not-allowed: MPI_Scan must not be given MPI_NO_OP",
        MPI_Scan(out, in, 1, MPI_DOUBLE, MPI_NO_OP, comm));
  WRONG("op-not-allowed: MPI_Accumulate must not be given MPI_NO_OP",
        MPI_Accumulate(out, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_NO_OP, win));
  WRONG("op-not-allowed: MPI_Accumulate is given an operation of the program's own",
        MPI_Accumulate(out, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, own, win));
  RIGHT(MPI_Accumulate(out, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_REPLACE, win));
  RIGHT(MPI_Fetch_and_op(out, in, MPI_DOUBLE, 0, 0, MPI_NO_OP, win));
  WRONG("op-type: MPI_BAND is not defined for MPI_DOUBLE (sendbuf): one of the floating point",
        MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_BAND, comm));
  WRONG("op-type: MPI_LAND is not defined for MPI_DOUBLE (recvbuf): one of the floating point",
        MPI_Allreduce(MPI_IN_PLACE, in, 1, MPI_DOUBLE, MPI_LAND, comm));
  WRONG("op-type: MPI_MAX is not defined for MPI_CHAR (sendbuf): characters cannot be reduced",
        MPI_Allreduce(out, in, 1, MPI_CHAR, MPI_MAX, comm));
  WRONG("op-type: MPI_MAXLOC is not defined for MPI_DOUBLE (sendbuf): one of the floating point",
        MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_MAXLOC, comm));
  WRONG("op-type: MPI_MAX is not defined for MPI_DOUBLE_INT (sendbuf): one of the pairs",
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
  const char *format = "argument: tag is %d, but the largest tag that this library has is %d";
  snprintf(what, sizeof what, format, *most + 1, *most);
  WRONG(what, MPI_Recv(in, 1, MPI_DOUBLE, 0, *most + 1, comm, MPI_STATUS_IGNORE));
}

static void asked_of_grids(void) {
  MPI_Comm grid, graph;
  int sizes[2] = {0, 0}, other;
  MPI_Cart_create(comm, 2, (int[]){1, 1}, (int[]){0, 1}, 0, &grid);
  MPI_Graph_create(comm, 1, (int[]){1}, (int[]){0}, 0, &graph);
  RIGHT(MPI_Dims_create(6, 2, sizes));
  RIGHT(MPI_Dims_create(1, 0, NULL));
  WRONG("topology-argument: nnodes is -6", MPI_Dims_create(-6, 2, (int[]){0, 0}));
  WRONG("topology-argument: dims[1] is -1", MPI_Dims_create(6, 2, (int[]){0, -1}));
  WRONG("topology-argument: nnodes is 6, no multiple of the 4 that dims give",
        MPI_Dims_create(6, 2, (int[]){4, 0}));
  WRONG("topology-argument: dims is a null pointer, but 2 entries are needed",
        MPI_Dims_create(6, 2, NULL));
  RIGHT(MPI_Cart_rank(grid, (int[]){0, 7}, &other));
  WRONG("topology-argument: coords[0] is 1, but dimension 0 has the size 1 and is not periodic",
        MPI_Cart_rank(grid, (int[]){1, 0}, &other));
  WRONG("topology-argument: coords is a null pointer, but 2 entries are needed",
        MPI_Cart_rank(grid, NULL, &other));
  WRONG("topology-argument: MPI_Cart_rank needs a Cartesian topology, the communicator has none",
        MPI_Cart_rank(comm, (int[]){0}, &other));
  RIGHT(MPI_Cart_coords(grid, 0, 2, sizes));
  WRONG("topology-argument: rank is 1, but the communicator has only the rank 0",
        MPI_Cart_coords(grid, 1, 2, sizes));
  WRONG(
      "topology-argument: MPI_Cart_coords needs a Cartesian topology, the communicator has a graph",
      MPI_Cart_coords(graph, 0, 2, sizes));
  RIGHT(MPI_Cart_shift(grid, 1, -3, &other, sizes));
  WRONG("topology-argument: direction is 2, but the grid has 2 dimensions",
        MPI_Cart_shift(grid, 2, 1, &other, sizes));
  WRONG("topology-argument: MPI_Cart_shift needs a Cartesian topology, the communicator has none",
        MPI_Cart_shift(comm, 0, 1, &other, sizes));
  RIGHT(MPI_Graph_neighbors(graph, 0, 1, sizes));
  WRONG("topology-argument: rank is -1, but the communicator has only the rank 0",
        MPI_Graph_neighbors(graph, -1, 1, sizes));
  WRONG("topology-argument: MPI_Graph_neighbors needs a graph topology, the communicator has a "
        "Cartesian one",
        MPI_Graph_neighbors(grid, 0, 1, sizes));
  MPI_Comm_free(&grid);
  MPI_Comm_free(&graph);
}

static void topologies(void) {
  WRONG("topology-argument: ndims is -1", MPI_Cart_create(comm, -1, numbers, numbers, 0, &made));
  WRONG("topology-argument: dims[1] is -1",
        MPI_Cart_create(comm, 2, (int[]){1, -1}, (int[]){0, 0}, 0, &made));
  WRONG("topology-argument: dims describe 6 processes, but the communicator has 1",
        MPI_Cart_create(comm, 2, (int[]){2, 3}, (int[]){0, 0}, 0, &made));
  WRONG("topology-argument: periods is a null pointer, but 2 entries are needed",
        MPI_Cart_create(comm, 2, (int[]){1, 1}, NULL, 0, &made));
  RIGHT(MPI_Cart_create(comm, 0, NULL, NULL, 0, &made));
  WRONG("topology-argument: MPI_Cart_sub needs a Cartesian topology, the communicator has none",
        MPI_Cart_sub(comm, (int[]){1}, &made));
  asked_of_grids();
  WRONG("topology-argument: nnodes is 2, but the communicator has 1 process",
        MPI_Graph_create(comm, 2, (int[]){1, 2}, (int[]){1, 0}, 0, &made));
  WRONG("topology-argument: index[0] is -1, less than the 0 before it",
        MPI_Graph_create(comm, 1, (int[]){-1}, (int[]){0}, 0, &made));
  WRONG("topology-argument: edges[1] is 1, but the nodes are 0 to 0",
        MPI_Graph_create(comm, 1, (int[]){2}, (int[]){0, 1}, 0, &made));
  RIGHT(MPI_Graph_create(comm, 1, (int[]){2}, (int[]){0, 0}, 0, &made));
  WRONG("topology-argument: degrees[0] is -1",
        MPI_Dist_graph_create(comm, 1, (int[]){0}, (int[]){-1}, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL,
                              0, &made));
  WRONG("topology-argument: destinations[1] is 1, but the communicator has only the rank 0",
        MPI_Dist_graph_create(comm, 1, (int[]){0}, (int[]){2}, (int[]){0, 1}, MPI_UNWEIGHTED,
                              MPI_INFO_NULL, 0, &made));
  WRONG("topology-argument: weights[1] is -2",
        MPI_Dist_graph_create(comm, 1, (int[]){0}, (int[]){2}, (int[]){0, 0}, (int[]){1, -2},
                              MPI_INFO_NULL, 0, &made));
  WRONG("topology-argument: destweights[0] is -1",
        MPI_Dist_graph_create_adjacent(comm, 1, (int[]){0}, (int[]){0}, 1, (int[]){0}, (int[]){-1},
                                       MPI_INFO_NULL, 0, &made));
  RIGHT(MPI_Dist_graph_create_adjacent(comm, 1, (int[]){0}, MPI_UNWEIGHTED, 0, NULL,
                                       MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &made));
  RIGHT(MPI_Dist_graph_create(comm, 0, NULL, NULL, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
  WRONG("topology-argument: sources[0] is -1, but the communicator has only the rank 0",
        MPI_Dist_graph_create_adjacent(comm, 1, (int[]){-1}, MPI_UNWEIGHTED, 0, NULL,
                                       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
  WRONG("topology-argument: outdegree is -1",
        MPI_Dist_graph_create_adjacent(comm, 0, NULL, MPI_UNWEIGHTED, -1, NULL, MPI_UNWEIGHTED,
                                       MPI_INFO_NULL, 0, &made));
  WRONG("topology-argument: MPI_Neighbor_allgather is called on a communicator without a topology",
        MPI_Neighbor_allgather(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, comm));
  WRONG("argument: color is -5", MPI_Comm_split(comm, -5, 0, &made));
  RIGHT(MPI_Comm_split(comm, MPI_UNDEFINED, -5, &made));
  WRONG("argument: local_leader is 1, but local_comm has only the rank 0",
        MPI_Intercomm_create(MPI_COMM_SELF, 1, comm, 0, 0, &made));
  WRONG("argument: remote_leader is 4, but peer_comm has only the rank 0",
        MPI_Intercomm_create(MPI_COMM_SELF, 0, comm, 4, 0, &made));
  WRONG("null-handle: peer_comm is MPI_COMM_NULL, but a communicator is needed",
        MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_NULL, 0, 0, &made));
}

static void groups(void) {
  int range[1][3] = {{0, 1, 1}}, still[1][3] = {{0, 0, 0}}, twice[2][3] = {{0, 0, 1}, {0, 0, 1}};
  WRONG("group-argument: ranks[0] is 3, but the group has only the rank 0",
        MPI_Group_incl(all, 1, (int[]){3}, &group));
  WRONG("group-argument: n is 2, but the group has only the rank 0",
        MPI_Group_incl(all, 2, (int[]){0, 0}, &group));
  WRONG("group-argument: n is -1, but the group has only the rank 0",
        MPI_Group_excl(all, -1, (int[]){0}, &group));
  WRONG("group-argument: ranks is a null pointer, but 1 entries are needed",
        MPI_Group_excl(all, 1, NULL, &group));
  RIGHT(MPI_Group_incl(MPI_GROUP_EMPTY, 0, NULL, &group));
  WRONG("group-argument: ranges[0] is 0 to 1 by 1, but the group has only the rank 0",
        MPI_Group_range_incl(all, 1, range, &group));
  WRONG("group-argument: ranges[0] is 0 to 0 by 0", MPI_Group_range_incl(all, 1, still, &group));
  WRONG("group-argument: the rank 0 is in ranges[0] and ranges[1]",
        MPI_Group_range_excl(all, 2, twice, &group));
  RIGHT(MPI_Group_range_excl(all, 1, twice, &group));
}

static void windows(void) {
  WRONG("window-argument: size is -8", MPI_Win_create(out, -8, 8, MPI_INFO_NULL, comm, &win));
  WRONG("window-argument: disp_unit is 0", MPI_Win_create(out, 8, 0, MPI_INFO_NULL, comm, &win));
  RIGHT(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, comm, &win));
  WRONG(
      "outside-window: MPI_Put writes the bytes [488, 520) of the window of rank 0, which has 512",
      MPI_Put(out, 4, MPI_DOUBLE, 0, 61, 4, MPI_DOUBLE, win));
  WRONG("outside-window: MPI_Get reads the bytes [-8, 0) of the window of rank 0, which has 512",
        MPI_Get(in, 1, MPI_DOUBLE, 0, -1, 1, MPI_DOUBLE, win));
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
  WRONG("attached-buffer: a buffer is attached, but there is one already",
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
  WRONG("attached-buffer: a buffer is attached, but there is one already",
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

// Messages that wait in the attached buffer together.
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
  WRONG("wrong-free: MPI_Comm_free is given MPI_COMM_WORLD", MPI_Comm_free(&world));
  WRONG("wrong-free: MPI_Comm_disconnect is given MPI_COMM_WORLD", MPI_Comm_disconnect(&world));
  WRONG("wrong-free: MPI_Op_free is given MPI_SUM", MPI_Op_free(&sum));
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
  MPI_Comm_dup(comm, &copy); // may have that handle
  RIGHT(MPI_Comm_free(&copy));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[1]);
  RIGHT(MPI_Comm_disconnect(&copy));
  MPI_Comm_disconnect(&copy);
  MPI_Comm_free(&other);
}

static void late(void) {
  WRONG("lifetime: MPI_Send is called after MPI_Finalize",
        MPI_Send(out, 1, MPI_DOUBLE, 0, 0, comm));
  WRONG("lifetime: MPI_Type_contiguous is called after MPI_Finalize",
        MPI_Type_contiguous(2, MPI_INT, &type));
  WRONG("lifetime: MPI_Finalize is called again", MPI_Finalize());
  WRONG("lifetime: MPI_Init is called, but MPI is initialised already", MPI_Init(NULL, NULL));
}

int main(int argc, char **argv) {
  next = dlsym(RTLD_DEFAULT, "taken_next");
  if (!next) return 64;
  early();
  MPI_Init(&argc, &argv);
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
  tags();
  topologies();
  groups();
  windows();
  attached();
  filled();
  freed();
  WRONG("lifetime: MPI_Init is called, but MPI is initialised already", MPI_Init(&argc, &argv));
  MPI_Group_free(&all);
  MPI_Win_free(&win);
  MPI_Finalize();
  late();
  return 0;
}
