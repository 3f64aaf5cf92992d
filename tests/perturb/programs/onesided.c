// SPDX-License-Identifier: MIT
// Latent one-sided errors. Kowalewski and Fuerlinger describe the first four, and the one with the
// stack. Arguments select them; with "right" before, the program is right. Two processes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 100, POLLS = 20000, NOBODY = -1 };
static int rank, *memory, is_right;
static MPI_Win window;

static void tell(const char *what, int is_wrong) {
  int any;
  MPI_Allreduce(&is_wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("%s%s: %s\n", is_right ? "right " : "", what, any ? "fails" : "holds");
}

static void set(int value) {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
  for (int i = 0; i < N; i++) memory[i] = value;
  MPI_Win_unlock(rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void fill(int *values, int with) {
  for (int i = 0; i < N; i++) values[i] = with;
}

static int has_only(int value) {
  int is_wrong = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  for (int i = 0; i < N; i++) is_wrong |= memory[i] != value;
  MPI_Win_unlock(rank, window);
  return !is_wrong;
}

// A tree: each process polls its parent's value, and then stores it. No call completes the get;
// this program stops after some time.
static void broadcast(void) {
  int value = 0, parent = (rank - 1) / 2, found;
  set(rank == 0 ? 7 : 0);
  MPI_Win_lock_all(0, window);
  for (int i = 0; rank > 0 && (is_right || i < POLLS) && *(volatile int *)&value == 0; i++) {
    MPI_Get(&value, 1, MPI_INT, parent, 0, 1, MPI_INT, window);
    if (is_right) MPI_Win_flush(parent, window);
    if (i % 200 == 0) usleep(1000);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  }
  int is_wrong = rank > 0 && value != 7;
  MPI_Win_unlock_all(window);
  tell("broadcast", is_wrong);
}

// The second process waits for the lock of the first one, in the way of Mellor-Crummey and Scott.
// It marks itself as blocked by an operation on its own window, which it does not complete.
static void queue_lock(void) {
  enum { BLOCKED, NEXT, TAIL };
  int yes = 1, no = 0, before = NOBODY, blocked = 1, next = NOBODY;
  set(NOBODY);
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    MPI_Fetch_and_op(&rank, &before, MPI_INT, 0, TAIL, MPI_REPLACE, window);
    MPI_Win_flush(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    while (next == NOBODY) {
      MPI_Fetch_and_op(NULL, &next, MPI_INT, 0, NEXT, MPI_NO_OP, window);
      MPI_Win_flush(0, window);
    }
    MPI_Accumulate(&no, 1, MPI_INT, next, BLOCKED, 1, MPI_INT, MPI_REPLACE, window);
    MPI_Win_flush(next, window);
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Accumulate(&yes, 1, MPI_INT, rank, BLOCKED, 1, MPI_INT, MPI_REPLACE, window);
    if (is_right) MPI_Win_flush(rank, window);
    MPI_Fetch_and_op(&rank, &before, MPI_INT, 0, TAIL, MPI_REPLACE, window);
    MPI_Win_flush(0, window);
    MPI_Accumulate(&rank, 1, MPI_INT, before, NEXT, 1, MPI_INT, MPI_REPLACE, window);
    MPI_Win_flush(before, window);
    MPI_Barrier(MPI_COMM_WORLD); // it was allowed to continue
    for (int i = 0; i < 100 && blocked; i++) {
      MPI_Fetch_and_op(NULL, &blocked, MPI_INT, rank, BLOCKED, MPI_NO_OP, window);
      MPI_Win_flush(rank, window);
    }
  }
  MPI_Win_unlock_all(window);
  tell("lock", rank > 0 && blocked);
}

// After a local flush the buffer may be reused, but the data may not have arrived yet.
static void local_flush(void) {
  int out[N], in[N], is_wrong = 0;
  set(0);
  fill(out, 5);
  fill(in, 0);
  MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, window);
  MPI_Put(out, N, MPI_INT, 1 - rank, 0, N, MPI_INT, window);
  if (is_right)
    MPI_Win_flush(1 - rank, window);
  else
    MPI_Win_flush_local(1 - rank, window);
  fill(out, 6);
  MPI_Get(in, N, MPI_INT, 1 - rank, 0, N, MPI_INT, window);
  MPI_Win_flush_local(1 - rank, window);
  for (int i = 0; i < N; i++) is_wrong |= in[i] != 5;
  MPI_Win_unlock(1 - rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
  tell("local", is_wrong || !has_only(5));
}

// A data race of the two.
static void put_then_accumulate(void) {
  int out[N], more[N];
  set(0);
  fill(out, 5);
  fill(more, 1);
  MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, window);
  MPI_Put(out, N, MPI_INT, 1 - rank, 0, N, MPI_INT, window);
  if (is_right) MPI_Win_flush(1 - rank, window);
  MPI_Accumulate(more, N, MPI_INT, 1 - rank, 0, N, MPI_INT, MPI_SUM, window);
  MPI_Win_unlock(1 - rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
  tell("order", !has_only(6));
}

static void __attribute__((noinline)) put_from_stack(int value) {
  int out[N];
  fill(out, value);
  MPI_Put(out, N, MPI_INT, 1 - rank, 0, N, MPI_INT, window);
  if (is_right) MPI_Win_flush_local(1 - rank, window);
}
static int __attribute__((noinline)) uses_stack(void) {
  volatile int other[4 * N];
  for (int i = 0; i < 4 * N; i++) other[i] = -1;
  return other[N];
}
static void stack_buffer(void) {
  set(0);
  MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, window);
  put_from_stack(5);
  uses_stack();
  MPI_Win_unlock(1 - rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
  tell("stack", !has_only(5));
}

// The program changes the origin buffer too early, with each kind of synchronization.
static void fence(void) {
  int out[N];
  set(0);
  fill(out, 5);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  MPI_Put(out, N, MPI_INT, 1 - rank, 0, N, MPI_INT, window);
  if (is_right) MPI_Win_fence(0, window);
  fill(out, 6);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  tell("fence", !has_only(5));
}

static void start_and_post(void) {
  int out[N], other = 1 - rank;
  MPI_Group world, group;
  set(0);
  fill(out, 5);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &other, &group);
  MPI_Win_post(group, 0, window);
  MPI_Win_start(group, 0, window);
  MPI_Accumulate(out, N, MPI_INT, other, 0, N, MPI_INT, MPI_SUM, window);
  if (!is_right) fill(out, 6);
  MPI_Win_complete(window);
  fill(out, 7);
  MPI_Win_wait(window);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  tell("start", !has_only(5));
}

// A complete request does not mean that an earlier operation is complete.
static void with_requests(void) {
  int out[N], in[N], more[N], is_wrong = 0, half = N / 2, other = 1 - rank;
  MPI_Request requests[3];
  set(3);
  fill(out, 5);
  fill(in, 0);
  MPI_Win_lock_all(0, window);
  MPI_Rput(out, half, MPI_INT, other, 0, half, MPI_INT, window, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  fill(out, 6);
  MPI_Rget(in, half, MPI_INT, other, half, half, MPI_INT, window, &requests[1]);
  MPI_Rget(more, half, MPI_INT, other, half, half, MPI_INT, window, &requests[2]);
  MPI_Waitall(is_right ? 2 : 1, &requests[is_right ? 1 : 2], MPI_STATUSES_IGNORE);
  for (int i = 0; i < half; i++) is_wrong |= in[i] != 3 || more[i] != 3;
  if (!is_right) MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  for (int i = 0; i < N; i++) is_wrong |= memory[i] != (i < half ? 5 : 3);
  MPI_Win_unlock(rank, window);
  tell("request", is_wrong);
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
enum { ASKING = 5 };
#else
enum { ASKING = 2 };
#endif

static int is_complete(MPI_Request *request, int by) {
  int flag = 0, index = 0;
  if (by == 0) MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE);
  if (by == 1) MPI_Test(request, &flag, MPI_STATUS_IGNORE);
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  if (by == 2) MPI_Request_get_status_all(1, request, &flag, MPI_STATUSES_IGNORE);
  if (by == 3) MPI_Request_get_status_any(1, request, &index, &flag, MPI_STATUS_IGNORE);
  if (by == 4) MPI_Request_get_status_some(1, request, &flag, &index, MPI_STATUSES_IGNORE);
#endif
  return flag > 0; // MPI_Request_get_status_some returns a number
}

// A loop polls with each call that tests, and ends when the test succeeds.
static void asked(void) {
  int out[N], in[N], is_wrong = 0, other = 1 - rank;
  MPI_Request request;
  for (int by = 0; by < ASKING; by++) {
    set(0);
    fill(out, 5);
    fill(in, 5);
    MPI_Win_lock_all(0, window);
    MPI_Rput(out, N, MPI_INT, other, 0, N, MPI_INT, window, &request);
    while (is_right && !is_complete(&request, by)) continue;
    fill(out, 6);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush(other, window);
    MPI_Rget(in, N, MPI_INT, other, 0, N, MPI_INT, window, &request);
    while (is_right && !is_complete(&request, by)) continue;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(window);
    for (int i = 0; i < N; i++) is_wrong |= in[i] != 5;
  }
  tell("asked", is_wrong);
}

// Columns of a plane with more elements than the parts into which mpipp splits an operation.
static void columns(void) {
  enum { ROWS = 3000 };
  int *plane, out[2 * ROWS], is_wrong = 0, other = 1 - rank;
  MPI_Datatype column;
  MPI_Win win;
  MPI_Win_allocate(sizeof out, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &plane, &win);
  MPI_Type_vector(ROWS, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  for (int i = 0; i < 2 * ROWS; i++) plane[i] = 1, out[i] = i;
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
  MPI_Put(out, 1, column, other, 0, 1, column, win);
  MPI_Accumulate(out, 1, column, other, 1, 1, column, MPI_SUM, win);
  if (is_right) MPI_Win_flush_local(other, win);
  for (int i = 0; i < 2 * ROWS; i++) out[i] = -1;
  MPI_Win_unlock(other, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  for (int i = 0; i < ROWS; i++) is_wrong |= plane[2 * i] != 2 * i || plane[2 * i + 1] != 2 * i + 1;
  MPI_Win_unlock(rank, win);
  MPI_Type_free(&column);
  MPI_Win_free(&win);
  tell("columns", is_wrong);
}

// Origin and target do not fit together: an error that the library may ignore.
static void put_nothing(void) {
  int out = 0, other = 1 - rank;
  MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);
  MPI_Put(&out, 0, MPI_INT, other, 0, 5, MPI_INT, window);
  MPI_Win_unlock(other, window);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } cases[] = {{"broadcast", broadcast},  {"lock", queue_lock},
               {"local", local_flush},    {"order", put_then_accumulate},
               {"stack", stack_buffer},   {"fence", fence},
               {"start", start_and_post}, {"request", with_requests},
               {"asked", asked},          {"columns", columns}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "right")) is_right = 1;
    if (!strcmp(argv[i], "nothing")) put_nothing();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
      if (!strcmp(argv[i], cases[k].name) || !strcmp(argv[i], "all")) cases[k].run();
  }
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
