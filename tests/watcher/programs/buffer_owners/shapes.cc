// SPDX-License-Identifier: MIT
// Containers and members that are too small for a buffer, or of another type, in the lines marked
// "wrong"; "fixed": none. On a communicator of one process MPI_Bcast moves nothing.
#include <mpi.h>

#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#define BCAST(P, N, T) MPI_Bcast((void *)(P), N, T, 0, MPI_COMM_SELF)

static int more;

struct Cell {
  double density;
  float velocity[3];
  int id;
};

struct Mesh {
  std::vector<Cell> cells;
  std::vector<double> reserved;
  std::size_t count;
  bool ok;
};

class Solver {
  std::vector<double> u{std::vector<double>(10)}, v{std::vector<double>(7)};
  Mesh mesh;
  std::unique_ptr<double[]> work{new double[9]};

public:
  Solver() {
    mesh.cells.resize(3);
    mesh.reserved.reserve(20);
    mesh.count = 4;
    mesh.ok = true;
  }
  void exchange() {
    BCAST(u.data(), 10 + more, MPI_DOUBLE);                          // wrong
    BCAST(&v[0], 7, more ? MPI_FLOAT : MPI_DOUBLE);                  // wrong
    BCAST(&v[3], more ? 7 : 4, MPI_DOUBLE);                          // wrong
    BCAST(mesh.reserved.data(), more ? 20 : 0, MPI_DOUBLE);          // wrong
    BCAST(mesh.cells.data(), more ? 100 : 72, MPI_BYTE);             // wrong
    BCAST(&mesh.count, 1, more ? MPI_INT : MPI_UNSIGNED_LONG);       // wrong
    BCAST(&mesh.ok, 1, more ? MPI_INT : MPI_CXX_BOOL);               // wrong
    BCAST(work.get(), 9 + more, MPI_DOUBLE);                         // wrong
    BCAST(mesh.cells[0].velocity, 3, more ? MPI_DOUBLE : MPI_FLOAT); // wrong
  }
};

static std::vector<std::vector<double>> rows(4, std::vector<double>(5));
static std::array<int, 6> six;
static std::string text = "a string that is long enough for the heap";

static void by_reference(const std::vector<int> &v) {
  BCAST(v.data(), (int)v.size() + more, MPI_INT); // wrong
}

static void by_pointer(const std::vector<int> *v) {
  BCAST(v->data(), (int)v->size() + more, MPI_INT); // wrong
}

static void variables() {
  std::vector<int> values(5);
  std::vector<std::complex<double>> complexes(4);
  std::vector<std::int64_t> wide(4);
  std::vector<unsigned char> raw(24);
  std::string small = "short";
  by_reference(values);
  by_pointer(&values);
  BCAST(more ? (void *)&values : values.data(), 5 + 2 * more, MPI_INT); // wrong: the object
  BCAST(rows[1].data(), 5 + more, MPI_DOUBLE);                          // wrong
  BCAST(rows[0].data(), more ? 20 : 5, MPI_DOUBLE);                     // wrong: not contiguous
  BCAST(six.data(), 6 + more, MPI_INT);                                 // wrong
  BCAST(&text[0], (int)text.size() + 100 * more, MPI_CHAR);             // wrong
  BCAST(more ? (void *)&text : &text[0], 41, MPI_CHAR);                 // wrong: the object
  BCAST(&small[0], more ? 64 : 6, MPI_CHAR);                            // wrong
  BCAST(complexes.data(), 8, MPI_DOUBLE);
  BCAST(complexes.data(), more ? 8 : 4, MPI_CXX_DOUBLE_COMPLEX); // wrong
  BCAST(wide.data(), 4, more ? MPI_INT : MPI_INT64_T);           // wrong
  BCAST(raw.data(), 3, MPI_DOUBLE);
  BCAST(raw.data(), 3 + more, MPI_DOUBLE); // wrong
}

int main(int argc, char **argv) {
  more = !(argc > 1 && std::strcmp(argv[1], "fixed") == 0);
  MPI_Init(&argc, &argv);
  auto heap = std::make_unique<Solver>();
  heap->exchange();
  variables();
  MPI_Finalize();
}
