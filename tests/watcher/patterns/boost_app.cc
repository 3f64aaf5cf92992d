// SPDX-License-Identifier: MIT
// A layer of C++ returns a request, which its caller ignores. The program sends the vector again
// and again, each time with other numbers.
#include <vector>

#include "patterns.h"

namespace {

class Request {
public:
  void wait() {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
  }
  MPI_Request request_;
};

template <typename T> struct Type;
template <> struct Type<double> {
  static MPI_Datatype get() {
    return MPI_DOUBLE;
  }
};

class Communicator {
public:
  explicit Communicator(MPI_Comm comm) : comm_(comm) {}
  template <typename T> Request isend(int dest, int tag, const std::vector<T> &values) const {
    Request made;
    MPI_Isend(values.data(), static_cast<int>(values.size()), Type<T>::get(), dest, tag, comm_,
              &made.request_);
    return made;
  }

private:
  MPI_Comm comm_;
};

void fill(std::vector<double> &values, double from) {
  for (auto &value : values) value = from++;
}

} // namespace

void boost_app(int rank, int wrong) {
  static std::vector<double> values(CELLS);
  Communicator world(MPI_COMM_WORLD);
  if (rank == 1) {
    await_go();
    for (int step = 0; step < 2; step++) {
      MPI_Recv(values.data(), CELLS, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (!wrong) need(values.data(), CELLS, step);
    }
    return;
  }
  for (int step = 0; step < 2; step++) {
    fill(values, step);
    auto request = world.isend(1, 8, values);
    if (wrong) continue;
    if (step == 0) go();
    request.wait();
  }
  if (wrong) go();
}
