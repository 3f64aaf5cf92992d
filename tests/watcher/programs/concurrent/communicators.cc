// SPDX-License-Identifier: MIT
// communicators [own]: two threads of rank 0 reduce, on one communicator or on their own.
#include <mpi.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

static std::atomic<int> begun;

static void reduce(MPI_Comm comm) {
  int one = 1, sum = 0;
  begun++;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm); // reduce
}

int main(int argc, char **argv) {
  int provided, rank, token = 0;
  int last = argc > 1 && std::string(argv[1]) == "own";
  MPI_Comm comms[2];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (auto &comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (rank == 0) {
    std::thread one(reduce, comms[0]), other(reduce, comms[last]);
    while (begun < 2) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    MPI_Send(&token, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    one.join();
    other.join();
  } else {
    MPI_Recv(&token, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    reduce(comms[0]);
    reduce(comms[last]);
  }
  for (auto &comm : comms) MPI_Comm_free(&comm);
  MPI_Finalize();
}
