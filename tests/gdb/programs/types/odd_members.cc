// SPDX-License-Identifier: MIT
// Classes whose members have no plain name outside; test_make.py makes their datatypes.
#include <mpi.h>

#include <cstddef>
#include <memory>
#include <tuple>
#include <vector>

#include "../mark.h"

namespace {

struct Base {
  int id;
};

struct Other {
  int id;
  float y;
};

struct Both : Base, Other { // has id twice
  char c;
};

struct Derived : Base { // has two, of which one hides the other
  int id;
};

class Inside : Base {
  struct {
    int unnamed;
  };

public:
  int plain;
  Inside() : unnamed(1) {}
  int sum() const {
    return unnamed + id;
  }
};

struct Text {
  std::size_t length;
  const char *start;
};

struct Library {
  std::tuple<int, double> pair;
  Text text;
  std::nullptr_t nothing;
  char16_t letter;
};

struct Field {
  std::vector<double> values = std::vector<double>(4);
  int number = 0;
};

struct Grid : Field {
  void send() {
    MPI_Bcast(&values[1], 3, MPI_DOUBLE, 0, MPI_COMM_SELF);
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_SELF);
  }
};

} // namespace
// Here test_make.py has main.

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  Both both{};
  Derived derived{};
  Inside inside;
  Library library{};
  MPI_Datatype of_derived;
  MPI_Type_contiguous(1, MPI_INT, &of_derived);
  auto shared = std::make_shared<Other>(); // points into a block, but not to its start
  std::vector<std::vector<double>> rows(3, std::vector<double>(4));
  mark();
  MPI_Bcast(&rows[1][2], 2, MPI_DOUBLE, 0, MPI_COMM_SELF);
  Grid *grid = new Grid;
  grid->send();
  MPI_Finalize();
  return shared->id + both.c + derived.id + inside.plain + inside.sum() + (int)library.letter;
}
