#include <mpi.h>

struct particle {
  double x[3];
  int kind;
  char name[8];
};

int main(int argc, char **argv) {
  static double grid[6][6];
  static struct particle particles[4];
  MPI_Init(&argc, &argv);
  MPI_Datatype column, record;
  MPI_Type_vector(6, 1, 6, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  int lengths[3] = {3, 1, 8};
  MPI_Aint displacements[3] = {0, 24, 28};
  MPI_Datatype types[3] = {MPI_DOUBLE, MPI_FLOAT, MPI_CHAR};
  MPI_Type_create_struct(3, lengths, displacements, types, &record);
  MPI_Type_commit(&record);
  MPI_Request requests[2];
  MPI_Irecv(&grid[0][1], 1, column, 0, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(grid[2], 6, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Bcast(particles, 4, record, 0, MPI_COMM_WORLD);
  MPI_Type_free(&column);
  MPI_Type_free(&record);
  MPI_Finalize();
}
