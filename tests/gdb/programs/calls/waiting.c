// Waits in MPI_Waitall for requests. Two of these may have the same handle.
#include <mpi.h>

int main(int argc, char **argv) {
  int sent[2] = {10, 20}, received[2];
  MPI_Request requests[5];
  MPI_Datatype odd, null = MPI_DATATYPE_NULL;

  MPI_Init(&argc, &argv);
  MPI_Type_contiguous(2, MPI_INT, &odd);
  MPI_Type_set_name(odd, "a \"pair\"\n\xc3\xa9");
  for (int i = 0; i < 2; i++) MPI_Isend(&sent[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
  for (int i = 0; i < 2; i++)
    MPI_Irecv(&received[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[2 + i]);
  requests[4] = MPI_REQUEST_NULL;
  MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
  MPI_Type_free(&odd);
  MPI_Finalize();
  return null != MPI_DATATYPE_NULL;
}
