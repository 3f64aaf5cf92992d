// SPDX-License-Identifier: MIT
// The C++ version of names.c: classes with private members, templates, containers.
#include <memory>
#include <mpi.h>
#include <vector>

#define BASE long_base_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
#define TYPE long_type_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
#define SPACE long_space_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
#define MEMBER long_member_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
#define HIDDEN long_hidden_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
#define GLOBAL long_global_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
#define FUNCTION long_function_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa

struct known {
  int number;
} known;

namespace SPACE {
template <class T> class BASE {
public:
  T MEMBER;
  virtual ~BASE() {}
};

class TYPE : public BASE<int> {
  double HIDDEN[3];

public:
  std::unique_ptr<int> owned;
};
} // namespace SPACE

SPACE::TYPE GLOBAL;

static void FUNCTION(SPACE::TYPE &local) {
  std::vector<SPACE::TYPE> many(3);
  SPACE::TYPE here, *pointer = &local;
  MPI_Datatype type;
  MPI_Request request;
  MPI_Type_contiguous(10, MPI_FLOAT, &type);
  MPI_Type_commit(&type);
  MPI_Irecv(&here, 1, type, 0, 7, MPI_COMM_SELF, &request);
  MPI_Recv(&local, 1, type, 0, 8, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Send(many.data(), 1, type, pointer ? 0 : 1, 7, MPI_COMM_SELF);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  FUNCTION(GLOBAL);
  MPI_Finalize();
  return 0;
}
