// SPDX-License-Identifier: MIT
// All calls that query a session, or make groups and communicators from it.
#include <mpi.h>

int main(void) {
  MPI_Session session;
  MPI_Group all, own, other;
  MPI_Comm comm, between;
  MPI_Info info;
  MPI_Errhandler handler;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN);
  MPI_Session_get_errhandler(session, &handler);
  MPI_Session_get_info(session, &info);
  MPI_Info_free(&info);
  MPI_Session_get_pset_info(session, "mpi://WORLD", &info);
  MPI_Info_free(&info);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Group_from_session_pset(session, "mpi://SELF", &own);
  MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Group_difference(all, own, &other);
  MPI_Intercomm_create_from_groups(own, 0, other, 0, "both", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                   &between);
  MPI_Barrier(between);
  MPI_Comm_free(&between);
  MPI_Comm_free(&comm);
  MPI_Group_free(&other);
  MPI_Group_free(&own);
  MPI_Group_free(&all);
  MPI_Errhandler_free(&handler);
  MPI_Session_finalize(&session);
}
