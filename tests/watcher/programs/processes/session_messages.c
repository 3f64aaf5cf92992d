// SPDX-License-Identifier: MIT
// Messages and collective calls on communicators of a session: right, or session_messages
// WRONG.
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
  MPI_Session session;
  MPI_Group all, own;
  MPI_Comm comm, copy;
  int rank, value = 1, sum;
  float other = 0;
  const char *wrong = argc > 1 ? argv[1] : "";
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Group_from_session_pset(session, "mpi://SELF", &own);
  for (int i = 0; i < 2; i++) {
    MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_dup(comm, &copy);
    int is_wrong = i == 1 && strcmp(wrong, "message") == 0;
    if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 3, copy);
    if (rank == 1 && !is_wrong) MPI_Recv(&sum, 1, MPI_INT, 0, 3, copy, MPI_STATUS_IGNORE);
    if (rank == 1 && is_wrong) MPI_Recv(&other, 1, MPI_FLOAT, 0, 3, copy, MPI_STATUS_IGNORE);
    int root = i == 1 && strcmp(wrong, "root") == 0 ? rank : 0;
    MPI_Bcast(&value, 1, MPI_INT, root, copy);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, copy);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&own);
  MPI_Group_free(&all);
  MPI_Session_finalize(&session);
}
