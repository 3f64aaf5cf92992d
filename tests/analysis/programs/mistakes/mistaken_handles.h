// SPDX-License-Identifier: MIT
// Mistakes of mistakes.c: handles and addresses that are none, or that are no longer in use.

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
