// SPDX-License-Identifier: MIT
// Variables of functions, used by their names: with the argument "wrong" while an operation is
// pending on them, else afterwards. One process.
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <mpi.h>
#include <thread>

struct cell {
  int first, second;
};

static bool wrong;
static int sum;
static std::jmp_buf back;

__attribute__((noinline)) static MPI_Request receive(void *at, int count) {
  MPI_Request request;
  MPI_Irecv(at, count, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  return request;
}

__attribute__((noinline)) static void complete(MPI_Request request, int count) {
  const int values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  MPI_Send(values, count, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void stores() {
  int value;
  MPI_Request request = receive(&value, 1);
  if (wrong) value = 7;
  complete(request, 1);
  if (!wrong) value += 7;
  sum += value;
}

__attribute__((noinline)) static void loads() {
  int value = 5;
  MPI_Request request = receive(&value, 1);
  if (wrong) sum += value;
  complete(request, 1);
  if (!wrong) sum += value;
}

__attribute__((noinline)) static void stores_element() {
  int values[8];
  MPI_Request request = receive(values, 8);
  if (wrong) values[5] = 7;
  complete(request, 8);
  if (!wrong) values[5] = 7;
  sum += values[5];
}

__attribute__((noinline)) static void stores_row(int count) {
  int values[8];
  MPI_Request request = receive(values, 8);
  for (int i = 1; wrong && i < count; i++) values[i] = i;
  complete(request, 8);
  for (int i = 1; !wrong && i < count; i++) sum += values[i];
}

__attribute__((noinline)) static void stores_member() {
  cell one = {0, 0};
  MPI_Request request = receive(&one.second, 1);
  one.first = 3; // this access may be reported
  if (wrong) one.second = 7;
  complete(request, 1);
  if (!wrong) one.second = 7;
  sum += one.first + one.second;
}

// The variable's scope begins and ends again and again, beside other scopes.
__attribute__((noinline)) static void stores_in_scope() {
  for (int turn = 0; turn < 4; turn++) {
    int other = turn;
    MPI_Request before = receive(&other, 1);
    complete(before, 1);
    {
      int value;
      MPI_Request request = receive(&value, 1);
      if (wrong && turn == 2) value = 7;
      complete(request, 1);
      sum += value + other;
    }
  }
}

// Frames that are left by a jump, so that they do not reach their ends.
__attribute__((noinline)) static void leaves(int depth, bool throws) {
  int room[16];
  MPI_Request request = receive(room, 4);
  complete(request, 4);
  std::memset(room + 4, depth, sizeof room - 4 * sizeof *room);
  if (depth > 0) leaves(depth - 1, throws);
  if (throws) throw room[1];
  std::longjmp(back, room[1]);
}

__attribute__((noinline)) static void comes_after(int count) {
  int room[64], variable[count];
  for (int i = 0; i < 64; i++) room[i] = i;
  MPI_Request request = receive(variable, count);
  for (int i = 0; i < 64; i += 9) sum += room[i];
  complete(request, count);
  sum += variable[count - 1];
}

int main(int argc, char **argv) {
  wrong = argc > 1 && !std::strcmp(argv[1], "wrong");
  MPI_Init(&argc, &argv);
  stores();
  loads();
  stores_element();
  stores_row(4);
  stores_member();
  stores_in_scope();
  if (!setjmp(back)) leaves(5, false);
  comes_after(7);
  try {
    leaves(5, true);
  } catch (int value) {
    sum += value;
  }
  comes_after(8);
  std::thread(comes_after, 8).join();
  std::printf("%d\n", sum);
  MPI_Finalize();
}
