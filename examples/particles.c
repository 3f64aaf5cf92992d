// SPDX-License-Identifier: MIT
// Two ranks share particles: the datatype describes five of the struct's integers, the name and the
// position, and MPI_Bcast sends them. `make demo` stops rank 1 inside the broadcast.
#include <mpi.h>
#include <stddef.h>
#include <string.h>

struct particle {
  int cell[5];
  double unused[3];
  char name[8];
  double position[2];
};

static void fill(struct particle *particle, int number) {
  for (int i = 0; i < 5; i++) particle->cell[i] = number + i;
  memcpy(particle->name, "neutron", 8);
  particle->position[0] = number + 0.25;
  particle->position[1] = -1.5;
}

int main(int argc, char **argv) {
  struct particle particles[2] = {{{0}, {0}, "", {0}}};
  int lengths[] = {5, 7, 2};
  MPI_Aint offsets[] = {offsetof(struct particle, cell), offsetof(struct particle, name),
                        offsetof(struct particle, position)};
  MPI_Datatype types[] = {MPI_INT, MPI_CHAR, MPI_DOUBLE};
  MPI_Datatype fields, particle;
  int rank;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_create_struct(3, lengths, offsets, types, &fields);
  MPI_Type_create_resized(fields, 0, sizeof(struct particle), &particle);
  MPI_Type_commit(&particle);
  if (rank == 0) {
    fill(&particles[0], 1);
    fill(&particles[1], 100);
  }
  MPI_Bcast(particles, 2, particle, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Type_free(&fields);
  MPI_Type_free(&particle);
  MPI_Finalize();
  return 0;
}
