// SPDX-License-Identifier: MIT
// Buffers that run past their object. With "fixed" they do not. Each line is a place.
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4 };
struct particle {
  int id;
  double x[3];
  char name[8];
};
static double matrix[N][2];
static struct particle particles[N];
static float table[N];

static void whole(void *buffer, int count, MPI_Datatype type) {
  MPI_Bcast(buffer, count, type, 0, MPI_COMM_SELF);
}

static void variables(int more) {
  double row[N] = {0};
  int lone = 0;
  whole(row, N + more, MPI_DOUBLE); // row
  whole(&lone, 1 + more, MPI_INT);
  MPI_Bcast(table, N + more, MPI_FLOAT, 0, MPI_COMM_SELF);
  MPI_Bcast(&row[2], 2 + more, MPI_DOUBLE, 0, MPI_COMM_SELF);
  MPI_Bcast(&lone, 1, more ? MPI_LONG : MPI_INT, 0, MPI_COMM_SELF);
}

static void columns(int more) {
  MPI_Datatype column, narrow;
  double here[2 * N];
  MPI_Type_vector(N, 1, 2, MPI_DOUBLE, &column);
  MPI_Type_create_resized(column, 0, sizeof(double), &narrow);
  MPI_Type_commit(&column);
  MPI_Type_commit(&narrow);
  MPI_Sendrecv(matrix, 2, more ? column : narrow, 0, 0, here, 2 * N, MPI_DOUBLE, 0, 0,
               MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
  MPI_Type_free(&narrow);
}

static void structs(int more) {
  int lengths[] = {1, 3, 8};
  MPI_Aint at[] = {offsetof(struct particle, id), offsetof(struct particle, x),
                   offsetof(struct particle, name)};
  MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR}, one;
  MPI_Type_create_struct(3, lengths, at, types, &one);
  MPI_Type_commit(&one);
  MPI_Bcast(particles, N + more, one, 0, MPI_COMM_SELF);
  MPI_Type_free(&one);
}

// Several variables by their absolute addresses: this is correct and common.
static void apart(void) {
  double a = 0;
  int b = 0, lengths[] = {1, 1};
  MPI_Aint at[2], first;
  MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT}, both;
  MPI_Get_address(&a, &first);
  MPI_Get_address(&b, &at[1]);
  at[0] = 0;
  at[1] -= first;
  MPI_Type_create_struct(2, lengths, at, types, &both);
  MPI_Type_commit(&both);
  MPI_Bcast(&a, 1, both, 0, MPI_COMM_SELF);
  MPI_Type_free(&both);
}

static void blocks(int more) {
  double *small = malloc(5 * sizeof *small), *large = malloc(100000 * sizeof *large);
  MPI_Bcast(small, 5 + 10 * more, MPI_DOUBLE, 0, MPI_COMM_SELF);
  MPI_Bcast(small + 3, 2 + 10 * more, MPI_DOUBLE, 0, MPI_COMM_SELF);
  MPI_Bcast(large, 100000 + 1000 * more, MPI_DOUBLE, 0, MPI_COMM_SELF);
  free(small);
  free(large);
}

int main(int argc, char **argv) {
  int more = !(argc > 1 && strcmp(argv[1], "fixed") == 0);
  MPI_Init(&argc, &argv);
  variables(more);
  columns(more);
  structs(more);
  apart();
  blocks(more);
  MPI_Finalize();
}
