// Collective calls that disagree, on three processes; what each returns where the error handler
// does.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;

static const char *named(int code) {
  int class;
  MPI_Error_class(code, &class);
  if (class == MPI_ERR_ROOT) return "MPI_ERR_ROOT";
  return code == MPI_SUCCESS ? "MPI_SUCCESS" : "another error";
}

// All ranks' in one line of the first.
static void tell(const char *what, int code) {
  char own[32] = "", all[3][32];
  strncpy(own, named(code), sizeof own - 1);
  MPI_Gather(own, sizeof own, MPI_CHAR, all, sizeof own, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s: %s, %s, %s\n", what, all[0], all[1], all[2]);
  fflush(stdout);
}

static void roots(void) {
  int value = rank;
  int code = MPI_Bcast(&value, 1, MPI_INT, rank == 1, MPI_COMM_WORLD);
  tell("roots", value == rank ? code : MPI_SUCCESS);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc == 1) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  roots();
  MPI_Finalize();
  return 0;
}
