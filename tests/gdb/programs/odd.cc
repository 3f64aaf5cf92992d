// SPDX-License-Identifier: MIT
// Classes whose members have no plain name outside them: test_make.py makes their datatypes.
#include <mpi.h>

#include <cstddef>
#include <string_view>
#include <tuple>

#include "mark.h"

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

struct Library {
  std::tuple<int, double> pair;
  std::string_view text;
  std::nullptr_t nothing;
  char16_t letter;
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
  mark();
  MPI_Finalize();
  return both.c + derived.id + inside.plain + inside.sum() + (int)library.letter;
}
