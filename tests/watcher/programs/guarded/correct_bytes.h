// SPDX-License-Identifier: MIT
// Correct accesses to the buffers of bytes.c, and the operations that it does not report.

static void exchange(void *out, void *in, int count, MPI_Datatype type) {
  MPI_Request both[2];
  int flag = 0;
  MPI_Irecv(in, count, type, other, 1, MPI_COMM_WORLD, &both[0]);
  MPI_Isend(out, count, type, other, 1, MPI_COMM_WORLD, &both[1]);
  while (!flag) MPI_Test(&both[0], &flag, MPI_STATUS_IGNORE);
  MPI_Wait(&both[1], MPI_STATUS_IGNORE);
}

static void exchanges(void) {
  double out[N], in[N + 2];
  for (int n = 0; n < 3; n++) {
    fill(out, N, n + rank);
    in[0] = in[N + 1] = -1;
    exchange(out, in + 1, N, MPI_DOUBLE);
    for (int i = 0; i < N; i++) NEED(in[1 + i] == n + other + i);
    NEED(in[0] == -1 && in[N + 1] == -1);
  }
}

// The program may use the memory beside a pending buffer.
static void columns(void) {
  MPI_Request both[2];
  for (int i = 0; i < ROWS; i++) fill(matrix[i], COLUMNS, 1000 * i + rank);
  MPI_Irecv(&matrix[0][COLUMNS - 1], 1, column, other, 2, MPI_COMM_WORLD, &both[0]);
  MPI_Isend(&matrix[0][1], 1, column, other, 2, MPI_COMM_WORLD, &both[1]);
  for (int i = 0; i < ROWS; i++) matrix[i][0] = matrix[i][2] = matrix[i][COLUMNS - 2] = -i;
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  for (int i = 0; i < ROWS; i++) {
    NEED(matrix[i][COLUMNS - 1] == 1000 * i + other + 1);
    NEED(matrix[i][0] == -i && matrix[i][2] == -i && matrix[i][COLUMNS - 2] == -i);
  }
}

static void records(void) {
  struct record out[3], in[3];
  memset(in, 7, sizeof in);
  for (int i = 0; i < 3; i++) out[i] = (struct record){'a' + i, {i, rank}, i / 4.0};
  exchange(out, in, 3, record);
  for (int i = 0; i < 3; i++) {
    NEED(in[i].kind == 'a' + i && in[i].number[1] == other && in[i].x == i / 4.0);
    NEED((&in[i].kind)[1] == 7 && (&in[i].kind)[3] == 7);
  }
}

// Every element arrives at its place, and no other memory changes.
static void receive_shape(MPI_Datatype type) {
  enum { AREA = 8 * 9 * 10 };
  static double area[AREA], sent[AREA], packed[AREA];
  int bytes, used = 0, position = 0;
  MPI_Type_commit(&type);
  MPI_Type_size(type, &bytes);
  for (int i = 0; i < AREA; i++) area[i] = -1;
  fill(sent, AREA, 1);
  MPI_Irecv(area, 1, type, other, 8, MPI_COMM_WORLD, &request);
  MPI_Send(sent, bytes / 8, MPI_DOUBLE, other, 8, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Pack(area, 1, type, packed, sizeof packed, &position, MPI_COMM_SELF);
  for (int i = 0; i < AREA; i++) used += area[i] != -1;
  NEED(used == bytes / 8 && memcmp(packed, sent, (size_t)bytes) == 0);
  MPI_Type_free(&type);
}

static void shapes(void) {
  int lengths[3] = {2, 1, 3}, places[3] = {9, 2, 20};
  int sizes[3] = {8, 9, 10}, parts[3] = {3, 4, 5}, starts[3] = {1, 2, 3};
  int distributions[3] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE};
  int arguments[3] = {2, MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
  int processes[3] = {2, 2, 1};
  MPI_Datatype type;
  MPI_Type_indexed(3, lengths, places, MPI_DOUBLE, &type);
  receive_shape(type);
  MPI_Type_create_indexed_block(3, 2, places, MPI_DOUBLE, &type);
  receive_shape(type);
  for (int order = 0; order < 2; order++) {
    int of = order ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    MPI_Type_create_subarray(3, sizes, parts, starts, of, MPI_DOUBLE, &type);
    receive_shape(type);
    MPI_Type_create_darray(4, 2, 3, sizes, distributions, arguments, processes, of, MPI_DOUBLE,
                           &type);
    receive_shape(type);
  }
}

// The part of a buffer that receives nothing stays unchanged.
static void partly(void) {
  double in[N];
  fill(in, N, 100);
  MPI_Irecv(in, N, MPI_DOUBLE, other, 3, MPI_COMM_WORLD, &request);
  MPI_Send(small, 3, MPI_DOUBLE, other, 3, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < N; i++) NEED(in[i] == (i < 3 ? small[i] : 100 + i));
  fill(in, N, 200);
  MPI_Irecv(in, N, MPI_DOUBLE, other, 77, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  int cancelled;
  MPI_Test_cancelled(&status, &cancelled);
  NEED(cancelled);
  for (int i = 0; i < N; i++) NEED(in[i] == 200 + i);
}

static void truncated(void) {
  double in[N];
  fill(in, N, 300);
  MPI_Irecv(in, 2, MPI_DOUBLE, other, 4, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(small, N, MPI_DOUBLE, other, 4, MPI_COMM_WORLD);
  int code = MPI_Wait(&request, MPI_STATUS_IGNORE), class;
  MPI_Error_class(code, &class);
  NEED(class == MPI_ERR_TRUNCATE);
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  for (int i = 2; i < N; i++) NEED(in[i] == 300 + i);
}

// A receive request is freed; a later message shows that the data has arrived.
static void given_up(void) {
  double in[N];
  fill(in, N, 0);
  MPI_Irecv(in, N, MPI_DOUBLE, other, 5, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  MPI_Isend(small, N, MPI_DOUBLE, other, 5, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  go();
  await();
  for (int i = 0; i < N; i++) NEED(in[i] == small[i]);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void asked_after(void) {
  double in[N];
  int flag = 0;
  MPI_Irecv(in, N, MPI_DOUBLE, other, 6, MPI_COMM_WORLD, &request);
  MPI_Send(small, N, MPI_DOUBLE, other, 6, MPI_COMM_WORLD);
  while (!flag) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  for (int i = 0; i < N; i++) NEED(in[i] == small[i]);
  in[0] = 5;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  NEED(in[0] == 5);
}

static void absolute(void) {
  double here = 3 + rank, there[2] = {1, 1};
  static double far[3] = {4, 5, 6};
  MPI_Aint places[2];
  int lengths[2] = {1, 3};
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_DOUBLE}, both;
  MPI_Get_address(&here, &places[0]);
  MPI_Get_address(far, &places[1]);
  MPI_Type_create_struct(2, lengths, places, types, &both);
  MPI_Type_commit(&both);
  MPI_Isend(MPI_BOTTOM, 1, both, other, 7, MPI_COMM_WORLD, &request);
  double in[4];
  MPI_Recv(in, 4, MPI_DOUBLE, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  NEED(in[0] == 3 + other && in[3] == 6);
  MPI_Irecv(MPI_BOTTOM, 1, both, other, 7, MPI_COMM_WORLD, &request);
  MPI_Send(in, 4, MPI_DOUBLE, other, 7, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  NEED(here == 3 + rank && far[2] == 6 && there[1] == 1);
  MPI_Type_free(&both);
}

// A coroutine's stack buffer exists when another coroutine calls MPI, from any stack.
static ucontext_t outer, inner;
static void coroutine(void) {
  double out[N];
  fill(out, N, 8);
  MPI_Isend(out, N, MPI_DOUBLE, other, 14, MPI_COMM_WORLD, &request);
  swapcontext(&inner, &outer);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void coroutines(void) {
  static char stack[1 << 16];
  double in[N];
  getcontext(&inner);
  inner.uc_stack.ss_sp = stack;
  inner.uc_stack.ss_size = sizeof stack;
  inner.uc_link = &outer;
  makecontext(&inner, coroutine, 0);
  swapcontext(&outer, &inner);
  MPI_Recv(in, N, MPI_DOUBLE, other, 14, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  swapcontext(&outer, &inner);
  NEED(in[N - 1] == 8 + N - 1);
}

// Two sends of the same bytes; several receives at once; shared memory; the child of a fork.
static void together(void) {
  MPI_Request all[6];
  double in[4][N];
  memset(in, 0, sizeof in);
  for (int i = 0; i < 4; i++)
    MPI_Irecv(in[i], N, MPI_DOUBLE, other, 10 + i % 2, MPI_COMM_WORLD, &all[i]);
  pid_t child = fork();
  if (child == 0) _exit(in[3][N - 1] != 0);
  int code = 0;
  NEED(waitpid(child, &code, 0) == child && code == 0);
  MPI_Barrier(MPI_COMM_WORLD); // no data has come before
  for (int i = 0; i < 2; i++) {
    MPI_Isend(small, N, MPI_DOUBLE, other, 10 + i, MPI_COMM_WORLD, &all[4 + i]);
    MPI_Send(small, N, MPI_DOUBLE, other, 10 + i, MPI_COMM_WORLD);
  }
  MPI_Waitall(6, all, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 4 * N; i++) NEED(in[0][i] == small[i % N]);
  double *shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  fill(shared, N, 1);
  exchange(shared, shared + N, N, MPI_DOUBLE);
  NEED(shared[N + 2] == 3);
  munmap(shared, PAGE);
}

// An unreported error: one operation receives into the send buffer of another.
static void mixed(void) {
  MPI_Request all[3];
  double in[N];
  fill(in, N, 1);
  MPI_Isend(in, N, MPI_DOUBLE, rank, 11, MPI_COMM_WORLD, &all[0]);
  MPI_Irecv(in, N, MPI_DOUBLE, rank, 11, MPI_COMM_WORLD, &all[1]);
  MPI_Waitall(2, all, MPI_STATUSES_IGNORE);
  NEED(in[3] == 4);
}

// An error handler leaves MPI by a jump: received data has arrived at the next call of MPI.
static jmp_buf back;
static void leaves(MPI_Comm *comm, int *code, ...) {
  (void)comm, (void)code;
  longjmp(back, 1);
}

static void left(void) {
  static double in[N];
  MPI_Comm mine;
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_WORLD, &mine);
  MPI_Comm_create_errhandler(leaves, &handler);
  MPI_Comm_set_errhandler(mine, handler);
  fill(in, N, 0);
  MPI_Irecv(in, 2, MPI_DOUBLE, other, 13, mine, &request);
  MPI_Send(small, N, MPI_DOUBLE, other, 13, mine);
  // Some libraries call this handler, others the handler of another communicator.
  if (!setjmp(back)) NEED(MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  MPI_Errhandler_free(&handler);
  for (int i = 2; i < N; i++) NEED(in[i] == i);
  NEED(in[0] == 0 || in[0] == small[0]);
  in[0] = in[1] = 5;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&mine);
  NEED(in[0] == 5);
}

static void persistent(void) {
  MPI_Request both[2];
  double out[N], in[N];
  MPI_Recv_init(in, N, MPI_DOUBLE, other, 12, MPI_COMM_WORLD, &both[0]);
  MPI_Send_init(out, N, MPI_DOUBLE, other, 12, MPI_COMM_WORLD, &both[1]);
  for (int n = 0; n < 3; n++) {
    fill(out, N, n);
    fill(in, N, -1);
    MPI_Startall(2, both);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    for (int i = 0; i < N; i++) NEED(in[i] == n + i);
  }
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
}
