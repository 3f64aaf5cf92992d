// SPDX-License-Identifier: MIT
// Classes, and datatypes for them.
#include <mpi.h>

#include <array>
#include <complex>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../mark.h"

namespace shapes {

struct Base {
  int id;
  virtual ~Base() {}
  double weight;
};

struct Circle : Base {
  std::complex<double> centre;
  int &counter;
  std::array<float, 3> colour;
  struct {
    int red, green;
  };
  union {
    int whole;
    float real;
  };
  std::int8_t small;
  bool filled;
  static int number;
  std::vector<int> more;
  explicit Circle(int &c) : counter(c) {}
};
int Circle::number;

template <class T> class Point {
  T x_, y_;

public:
  T z;
  Point(T x, T y, T z) : x_(x), y_(y), z(z) {}
  T x() const {
    return x_ + y_;
  }
};

} // namespace shapes

struct Mesh {
  std::vector<double> values;
  double *raw;
};

class Token {
  int kind, serial;
};

struct Entry {
  std::map<int, double> all;
  std::unique_ptr<int> one;
  std::string name;
  int number;
};

struct Way {
  int width;
  virtual ~Way() {}
};
struct Lane : virtual Way {
  int number;
};
struct Road {
  Lane lane;
  int length;
};

static void send(const Mesh &mesh, MPI_Datatype type) {
  MPI_Bcast(const_cast<double *>(&mesh.values[2]), 4, type, 0, MPI_COMM_SELF);
  MPI_Bcast(mesh.raw + 5, 4, type, 0, MPI_COMM_SELF);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int counter = 0;
  shapes::Circle circle(counter);
  shapes::Circle &same = circle;
  shapes::Point<double> point(1, 2, 3);
  std::vector<shapes::Point<double>> points(10, point);
  Mesh mesh{std::vector<double>(100), new double[50]};
  Token token;
  Entry entry{};
  Road road{};
  std::vector<bool> flags(100);
  std::vector<int> none;

  MPI_Datatype three, of_circle, raw;
  MPI_Type_contiguous(3, MPI_DOUBLE, &three);
  const MPI_Aint start = (MPI_Aint)&circle;
  const MPI_Aint places[] = {(MPI_Aint)&circle.id - start,     (MPI_Aint)&circle.weight - start,
                             (MPI_Aint)&circle.centre - start, (MPI_Aint)&circle.colour - start,
                             (MPI_Aint)&circle.red - start,    (MPI_Aint)&circle.real - start,
                             (MPI_Aint)&circle.small - start,  (MPI_Aint)&circle.filled - start};
  const int lengths[] = {1, 1, 2, 3, 2, 1, 1, 1};
  const MPI_Datatype parts[] = {MPI_INT, MPI_DOUBLE, MPI_DOUBLE, MPI_FLOAT,
                                MPI_INT, MPI_FLOAT,  MPI_INT8_T, MPI_CXX_BOOL};
  MPI_Type_create_struct(8, lengths, places, parts, &raw);
  MPI_Type_create_resized(raw, 0, sizeof circle, &of_circle);
  MPI_Datatype bytes;
  MPI_Type_contiguous(sizeof circle, MPI_BYTE, &bytes);
  mark();
  send(mesh, MPI_DOUBLE);
  (void)same, (void)token, (void)entry, (void)flags, (void)none, (void)road;
  MPI_Finalize();
  return (int)points[0].x() == 7;
}
