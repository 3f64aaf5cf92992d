// SPDX-License-Identifier: MIT
// Flags order operations, by the values that atomic operations read; with an argument they do not.
// Other cases use the info keys of windows. Three processes.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { FLAG = 8 };
static MPI_Win win;
static int rank;

static int read_flag(int at) {
  int value, none = 0;
  MPI_Fetch_and_op(&none, &value, MPI_INT, 1, at, MPI_NO_OP, win);
  MPI_Win_flush(1, win);
  return value;
}

// Lets a process read the first value before another process changes it.
static void await(int at, int wanted, int first, int last) {
  read_flag(at);
  for (int i = first; i <= last; i++) MPI_Send(NULL, 0, MPI_INT, i, 0, MPI_COMM_WORLD);
  while (read_flag(at) < wanted) usleep(500);
}

static void begin(void) {
  MPI_Recv(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void put(int at) {
  MPI_Put(&rank, 1, MPI_INT, 1, at, 1, MPI_INT, win);
}

static void get(int at, int count) {
  int values[2];
  MPI_Get(values, count, MPI_INT, 1, at, count, MPI_INT, win);
  MPI_Win_flush(1, win);
}

static void set(int at, int value, MPI_Op op) {
  MPI_Accumulate(&value, 1, MPI_INT, 1, at, 1, MPI_INT, op, win);
  MPI_Win_flush(1, win);
}

static void by_a_value(int right) {
  if (rank == 0) {
    begin();
    if (right) put(0);
    MPI_Win_flush(1, win);
    set(FLAG, 5, MPI_REPLACE);
    if (!right) put(0);
  } else if (rank == 2) {
    await(FLAG, 5, 0, 0);
    get(0, 1);
  }
}

static void by_a_value_too_early(int right) {
  if (rank == 0) {
    int done = 1, before, none = 0;
    begin();
    MPI_Put(&rank, 1, MPI_INT, 1, 1, 1, MPI_INT, win);
    if (right)
      MPI_Win_flush(1, win);
    else
      MPI_Win_flush_local(1, win);
    MPI_Compare_and_swap(&done, &none, &before, MPI_INT, 1, FLAG + 1, win);
    MPI_Win_flush(1, win);
  } else if (rank == 2) {
    await(FLAG + 1, 1, 0, 0);
    get(1, 1);
  }
}

static void by_a_counter(void) {
  if (rank < 2) {
    begin();
    put(2 + rank);
    MPI_Win_flush(1, win);
    set(FLAG + 2, 1, MPI_SUM);
  } else {
    await(FLAG + 2, 2, 0, 1);
    get(2, 2);
  }
}

// Each process accesses the data in its turn, which the process before it passes on.
static void in_turns(void) {
  const int turns[3] = {1, 2, 0};
  int one = 1, before;
  if (rank == 2) {
    for (int i = 0; i < 2; i++) MPI_Recv(NULL, 0, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    await(FLAG + 3, turns[rank], 2, 2);
  }
  put(4);
  MPI_Win_flush(1, win);
  MPI_Fetch_and_op(&one, &before, MPI_INT, 1, FLAG + 3, MPI_SUM, win);
  MPI_Win_flush(1, win);
}

static MPI_Info asking(const char *key, const char *value) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, key, value);
  return info;
}

static void same_op(int right) {
  static int memory[2];
  MPI_Win own;
  int one = 1, found;
  MPI_Info info = asking("accumulate_ops", right ? "same_op_no_op" : "same_op");
  MPI_Win_create(memory, sizeof memory, sizeof *memory, info, MPI_COMM_WORLD, &own);
  MPI_Info_free(&info);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, own);
  if (rank == 0) MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, own);
  if (rank == 2)
    MPI_Get_accumulate(NULL, 0, MPI_INT, &found, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_NO_OP, own);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, own);
  MPI_Win_free(&own);
}

static void ordering(int right) {
  static int memory[2];
  MPI_Win own;
  int one = 1;
  MPI_Info info = asking("accumulate_ordering", right ? "rar,waw" : "rar,raw");
  MPI_Win_create(memory, sizeof memory, sizeof *memory, info, MPI_COMM_WORLD, &own);
  MPI_Info_free(&info);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, own);
  if (rank == 0) {
    MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, own);
    MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, own);
  }
  MPI_Win_fence(0, own);
  info = asking("accumulate_ordering", right ? "waw" : "none");
  MPI_Win_set_info(own, info);
  MPI_Info_free(&info);
  if (rank == 2) {
    MPI_Accumulate(&one, 1, MPI_INT, 1, 1, 1, MPI_INT, MPI_SUM, own);
    MPI_Accumulate(&one, 1, MPI_INT, 1, 1, 1, MPI_INT, MPI_MAX, own);
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, own);
  MPI_Win_free(&own);
}

int main(int argc, char **argv) {
  int *memory, right = argc == 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(16 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &win);
  for (int i = 0; i < 16; i++) memory[i] = 0;
  MPI_Win_lock_all(0, win);
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  by_a_value(right);
  MPI_Win_flush_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  by_a_value_too_early(right);
  MPI_Win_flush_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (right) by_a_counter();
  MPI_Win_flush_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (right) in_turns();
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  same_op(right);
  ordering(right);
  MPI_Finalize();
  if (rank == 0) printf("done\n");
}
