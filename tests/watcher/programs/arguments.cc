// SPDX-License-Identifier: MIT
// Vectors of statuses and counts with too few elements; "fixed": with enough. A vector that is
// constructed later is not in use yet.
#include <mpi.h>

#include <cstring>
#include <vector>

static int values[2], received[2];

static void all_of(bool wrong) {
  std::vector<MPI_Request> requests(2);
  std::vector<MPI_Status> statuses;
  statuses.reserve(4);
  if (!wrong) statuses.resize(2);
  MPI_Irecv(received, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(values, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests.data(), statuses.data()); // statuses
  std::vector<size_t> wide(1);
  std::vector<int> counts(1);
  int *chosen = wrong ? reinterpret_cast<int *>(wide.data()) : counts.data();
  MPI_Allgatherv(values, 0, MPI_INT, received, chosen, counts.data(), MPI_INT,
                 MPI_COMM_SELF); // wide
}

static void fill_stack() {
  double raw[64] = {0};
  std::vector<double> old(4);
  MPI_Bcast(old.data(), 4, MPI_DOUBLE, 0, MPI_COMM_SELF);
  MPI_Bcast(raw, 64, MPI_DOUBLE, 0, MPI_COMM_SELF);
}

static void construct_later() {
  double *raw = new double[4]();
  MPI_Bcast(raw, 4, MPI_DOUBLE, 0, MPI_COMM_SELF);
  std::vector<double> later(2);
  MPI_Bcast(later.data(), 2, MPI_DOUBLE, 0, MPI_COMM_SELF);
  delete[] raw;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  fill_stack();
  construct_later();
  all_of(!(argc > 1 && !std::strcmp(argv[1], "fixed")));
  MPI_Finalize();
}
