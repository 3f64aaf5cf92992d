// SPDX-License-Identifier: MIT
// Handles of all other kinds. A comment that begins with a dollar says what gdb prints at mark().
#include <mpi.h>
#include <stdio.h>

#include "../mark.h"

static void add(void *in, void *inout, int *length, MPI_Datatype *datatype) {
  (void)in, (void)inout, (void)length, (void)datatype;
}

static void ignore(MPI_Comm *comm, int *code, ...) {
  (void)comm, (void)code;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);

  // $world: {name = "MPI_COMM_WORLD", rank = 0, size = 1}
  MPI_Comm world = MPI_COMM_WORLD;
  // $no_comm: MPI_COMM_NULL
  MPI_Comm no_comm = MPI_COMM_NULL;
  // $unknown_comm: <unknown MPI_Comm 0x4567>
  MPI_Comm unknown_comm = (MPI_Comm)0x4567;
  // $named_comm: {name = "ring", rank = 0, size = 1}
  MPI_Comm named_comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &named_comm);
  MPI_Comm_set_name(named_comm, "ring");
  // $cart: {rank = 0, size = 1, topology = CART, dims = {1, 1}, periods = {0, 1}, coords = {0, 0}}
  MPI_Comm cart;
  int dims[2] = {1, 1}, periods[2] = {0, 1};
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);

  // $empty: MPI_GROUP_EMPTY
  MPI_Group empty = MPI_GROUP_EMPTY;
  // $group: {size = 1, rank = 0}
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);

  // $sum: MPI_SUM
  MPI_Op sum = MPI_SUM;
  // $op: {function = <add>, commute = true}
  MPI_Op op;
  MPI_Op_create(add, 1, &op);

  // $errors_return: MPI_ERRORS_RETURN
  MPI_Errhandler errors_return = MPI_ERRORS_RETURN;
  // $errhandler: {function = <ignore>}
  MPI_Errhandler errhandler;
  MPI_Comm_create_errhandler(ignore, &errhandler);

  // $info: {{key = "striping_unit", value = "1048576"}, {key = "note", value = "say \"hi\""}}
  // $no_info: MPI_INFO_NULL
  MPI_Info info, no_info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "striping_unit", "1048576");
  MPI_Info_set(info, "note", "say \"hi\"");

  // $win: {base = %p, size = 80, disp_unit = 8, flavor = CREATE, model = UNIFIED, comm = "MPI_COMM_WORLD", epochs = {lock}, locks = {{rank = 0, type = EXCLUSIVE}}}
  MPI_Win win;
  double memory[10];
  MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);

  // $file: {filename = "mpipp-test-file", amode = MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_RDWR, comm = "MPI_COMM_SELF", view = {disp = 16, etype = "MPI_INT", filetype = {kind = VECTOR, count = 2, blocklength = 1, stride = 3, type = "MPI_INT"}, datarep = "native"}}
  // $no_file: MPI_FILE_NULL
  MPI_File file, no_file = MPI_FILE_NULL;
  MPI_Datatype filetype;
  MPI_Type_vector(2, 1, 3, MPI_INT, &filetype);
  MPI_Type_commit(&filetype);
  MPI_File_open(MPI_COMM_SELF, "mpipp-test-file",
                MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, 16, MPI_INT, filetype, "native", MPI_INFO_NULL);

  // $receive: {operation = "MPI_Irecv", state = active, source = MPI_ANY_SOURCE, tag = MPI_ANY_TAG, comm = "MPI_COMM_SELF", buf = {address = %p, count = 2, type = "MPI_INT"}}
  // $no_request: MPI_REQUEST_NULL
  MPI_Request receive, no_request = MPI_REQUEST_NULL;
  int numbers[2] = {1, 2};
  MPI_Irecv(numbers, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &receive);
  // $requests: {{operation = "MPI_Send_init", state = inactive, persistent = true, dest = MPI_PROC_NULL, tag = 5, comm = "ring", buf = {address = %p, count = 1, type = "MPI_DOUBLE"}}, MPI_REQUEST_NULL}
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Send_init(memory, 1, MPI_DOUBLE, MPI_PROC_NULL, 5, named_comm, &requests[0]);

  // $message: {source = 0, tag = 9, comm = "ring"}
  // $no_message: MPI_MESSAGE_NULL
  MPI_Message message, no_message = MPI_MESSAGE_NULL;
  MPI_Request send;
  MPI_Isend(memory, 1, MPI_DOUBLE, 0, 9, named_comm, &send);
  MPI_Mprobe(0, 9, named_comm, &message, MPI_STATUS_IGNORE);

#ifdef SESSIONS
  // $[mpich4,mpich5,openmpi5,abi5] session: {errhandler = "MPI_ERRORS_RETURN"}
  // $[mpich4,mpich5,openmpi5,abi5] no_session: MPI_SESSION_NULL
  MPI_Session session, no_session = MPI_SESSION_NULL;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  (void)no_session;
#endif

  mark();

#ifdef SESSIONS
  MPI_Session_finalize(&session);
#endif
  MPI_Mrecv(memory, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Win_unlock(0, win);
  MPI_File_close(&file);
  MPI_Cancel(&receive);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  (void)world, (void)no_comm, (void)unknown_comm, (void)empty, (void)sum, (void)errors_return;
  (void)no_info, (void)no_file, (void)no_request, (void)no_message;
  MPI_Finalize();
  return 0;
}
