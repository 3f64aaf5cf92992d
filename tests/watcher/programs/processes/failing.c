// Collective calls that MPI refuses, in rank 0 or in the last one: nothing ends the program.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *how;
static int rank, size, in[8], out[8];
static double reals[4], sums[4];

static int is(const char *what) {
  return strcmp(how, what) == 0;
}

static void wait_for(MPI_Request *request) {
  MPI_Status statuses[1];
  int indices[1], count;
  if (is("waitall"))
    MPI_Waitall(1, request, statuses);
  else if (is("waitany"))
    MPI_Waitany(1, request, indices, statuses);
  else if (is("waitsome"))
    MPI_Waitsome(1, request, &count, indices, statuses);
  else
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void broadcast(int count) {
  MPI_Bcast(in, count, MPI_INT, 0, MPI_COMM_WORLD);
}

static void start_broadcast(int count) {
  MPI_Request request;
  MPI_Ibcast(in, count, MPI_INT, 0, MPI_COMM_WORLD, &request);
  wait_for(&request);
}

static void repeat_broadcast(int count) {
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
  MPI_Request request;
  MPI_Bcast_init(in, count, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  wait_for(&request);
  MPI_Request_free(&request);
#else
  (void)count;
#endif
}

static void reduce(void) {
  if (rank == 0)
    MPI_Reduce(in, out, 4, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  else
    MPI_Reduce(reals, sums, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

// The arguments are wrong without regard to other processes: MPI checks them first.
static void try_arguments(void) {
  if (rank == 0) MPI_Bcast(in, -1, MPI_INT, 0, MPI_COMM_WORLD);
  broadcast(3);
  broadcast(4);
}

static void try_file(void) {
  MPI_File file;
  int code = MPI_File_open(MPI_COMM_WORLD, "there-is-none", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  if (rank == 0) printf("%s\n", code == MPI_SUCCESS ? "opened" : "not there");
}

int main(int argc, char **argv) {
  how = argv[1];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int count = rank == size - 1 ? 4 : 5;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (is("bcast") || is("twice")) broadcast(count);
  if (is("reduce")) reduce();
  if (is("wait") || is("waitall") || is("waitany") || is("waitsome")) start_broadcast(count);
  if (is("persistent")) repeat_broadcast(count);
  if (is("arguments")) try_arguments();
  if (is("file")) try_file();
  if (is("twice") || is("file"))
    MPI_Reduce(in, out, rank ? 1 : 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Finalize();
}
