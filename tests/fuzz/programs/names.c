// SPDX-License-Identifier: MIT
// A test replaces the names in the compiled program by names of the same length: long_KIND_aaa...
#include <mpi.h>

#define TYPE long_type_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
#define TYPEDEF long_typedef_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
#define EMPTY long_empty_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
#define MEMBER long_member_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
#define ARRAY long_array_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
#define GLOBAL long_global_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
#define LOCAL long_local_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
#define FUNCTION long_function_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
#define OPERATION long_operation_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa

// A name may begin with that of this one, so that a command with it is one of gdb's.
struct known {
  int number;
} known;

struct EMPTY {};

struct TYPE {
  int MEMBER;
  struct EMPTY none;
  union {
    int number;
    float real;
  } unnamed;
  unsigned bits : 3;
  double ARRAY[4];
};
typedef struct TYPE TYPEDEF;

TYPEDEF GLOBAL[3];

static void OPERATION(void *in, void *out, int *count, MPI_Datatype *type) {}

static void FUNCTION(TYPEDEF *LOCAL) {
  TYPEDEF here = {1}, *pointer = LOCAL;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Request request;
  MPI_Type_contiguous(3, MPI_FLOAT, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(OPERATION, 1, &op);
  MPI_Irecv(&here, 1, type, 0, 7, MPI_COMM_SELF, &request);
  MPI_Recv(LOCAL, 1, type, 0, 8, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Send(pointer, 1, type, 0, 7, MPI_COMM_SELF);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  FUNCTION(GLOBAL);
  MPI_Finalize();
  return 0;
}
