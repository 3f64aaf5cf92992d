// SPDX-License-Identifier: MIT
// An ordinary program: prints what it computes and every error class it gets, and ends with status
// 3. It must do the same with the wrapper and without.
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;

static void error(const char *what, int code) {
  int class = -1;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  if (rank == 0) printf("%s: %d\n", what, code == MPI_SUCCESS ? 0 : class);
}

static void errors(void) {
  int data[4] = {0}, length = 1;
  MPI_Aint offset = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL, null = MPI_DATATYPE_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  error("send rank", MPI_Send(data, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD));
  error("send count", MPI_Send(data, -1, MPI_INT, 0, 0, MPI_COMM_WORLD));
  error("send type", MPI_Send(data, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD));
  error("send tag", MPI_Send(data, 1, MPI_INT, 0, -7, MPI_COMM_WORLD));
  error("bcast root", MPI_Bcast(data, 1, MPI_INT, size + 1, MPI_COMM_WORLD));
  error("vector", MPI_Type_vector(-1, 1, 1, MPI_INT, &type));
  error("struct", MPI_Type_create_struct(1, &length, &offset, &null, &type));
  error("commit", MPI_Type_commit(&null));
  error("free", MPI_Type_free(&null));
  error("wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
  error("start", MPI_Start(&request));
  error("uncommitted", (MPI_Type_contiguous(2, MPI_INT, &type),
                        MPI_Send(data, 1, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD)));
  MPI_Type_free(&type);
  MPI_File file;
  error("open",
        MPI_File_open(MPI_COMM_SELF, "/nowhere/at all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
}

static void compute(void) {
  double mine[4] = {rank, 1, 2, 3}, sum[4];
  int gathered[16] = {0}, number = rank * 10;
  MPI_Datatype column;
  double matrix[4][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}}, got[4];
  MPI_Allreduce(mine, sum, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Gather(&number, 1, MPI_INT, gathered, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Sendrecv(&matrix[0][2], 1, column, (rank + 1) % size, 1, got, 4, MPI_DOUBLE,
               (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
  if (rank == 0) printf("%g %g %d %g %g\n", sum[0], sum[3], gathered[size - 1], got[0], got[3]);
}

static void fork_one(void) {
  int status;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    execl("/bin/echo", "echo", "from a child", (char *)NULL);
    _exit(1);
  }
  waitpid(child, &status, 0);
  if (rank == 0) printf("child %d\n", status);
}

int main(int argc, char **argv) {
  int flag;
  MPI_Initialized(&flag);
  MPI_Init(&argc, &argv);
  errno = ENOTDIR;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) printf("%d %s\n", flag, strerror(errno));
  compute();
  errors();
  if (size == 1) fork_one();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 3;
}
