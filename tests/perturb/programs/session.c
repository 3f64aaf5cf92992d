// SPDX-License-Identifier: MIT
// A program without MPI_COMM_WORLD changes a send buffer too early. Then it makes the same send,
// and other operations, correctly. Two processes.
#include <mpi.h>
#include <stdio.h>

enum { N = 16 };

int main(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Request requests[2];
  MPI_Datatype every_second;
  int rank, values[2 * N], got[2 * N] = {0};
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "mpipp", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Type_vector(N, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  for (int is_right = 0; is_right < 2; is_right++) {
    int sum = 0, all = -1;
    for (int i = 0; i < 2 * N; i++) values[i] = 1;
    MPI_Irecv(got, 1, every_second, 1 - rank, 0, comm, &requests[0]);
    MPI_Isend(values, 1, every_second, 1 - rank, 0, comm, &requests[1]);
    for (int i = 0; !is_right && i < 2 * N; i++) values[i] = 2;
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2 * N; i++) sum += got[i];
    MPI_Iallreduce(&sum, &all, 1, MPI_INT, MPI_SUM, comm, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    if (rank == 0) printf("sum %d, all %d\n", sum, all);
  }
  MPI_Type_free(&every_second);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  return 0;
}
