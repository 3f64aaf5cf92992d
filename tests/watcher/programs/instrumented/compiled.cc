// SPDX-License-Identifier: MIT
// The C++ version of compiled.c: each function is one access.
#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

typedef double four __attribute__((vector_size(32)));

static int rank, tag;
static bool wrong;

template <typename T, typename Access>
__attribute__((noinline)) void one(T *buffer, int bytes, Access access) {
  MPI_Request request = MPI_REQUEST_NULL;
  tag++;
  if (rank == 0) MPI_Issend(buffer, bytes, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &request);
  if (wrong && rank == 0) access(buffer);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(buffer, bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (!wrong) access(buffer);
}

__attribute__((noinline)) static void stores_wide(double *at) {
  *reinterpret_cast<four *>(at) = four{1, 2, 3, 4};
}
__attribute__((noinline)) static void stores_long(long double *at) {
  *at = 2.5L;
}
__attribute__((noinline)) static void exchanges(std::atomic<int> *at) {
  int none = 0;
  at->compare_exchange_strong(none, 5);
}
__attribute__((noinline)) static void fills(double *at) {
  for (int i = 0; i < 100; i++) at[i] = 1.5;
}
__attribute__((noinline)) static void in_thread(char *at) {
  std::thread([at] { *at = 'x'; }).join();
}
__attribute__((noinline)) static void gives_back(char *at) {
  delete[] at;
}

int main(int argc, char **argv) {
  int provided;
  wrong = argc > 1;
  (void)argv;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  alignas(32) double row[8] = {};
  long double wide = 0;
  std::atomic<int> counter(0);
  std::vector<double> many(100);
  char letter = 'a';
  one(row + 3, 8, [&](double *) { stores_wide(row); });
  one(&wide, 10, stores_long);
  one(&counter, 4, exchanges);
  one(&many[99], 8, [&](double *) { fills(many.data()); });
  one(&letter, 1, in_thread);
  one(new char[100](), 100, gives_back);
  MPI_Finalize();
  if (rank == 0) std::printf("%g %Lg %d %g %c\n", row[3], wide, counter.load(), many[99], letter);
}
