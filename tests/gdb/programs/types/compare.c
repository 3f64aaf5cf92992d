// SPDX-License-Identifier: MIT
// Datatypes that fit the program's structs, and datatypes that do not.

#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

#include "../mark.h"
#include "compare_types.h"

struct hidden;

static MPI_Datatype of_struct(int count, const int *lengths, const MPI_Aint *places,
                              const MPI_Datatype *parts) {
  MPI_Datatype type;
  MPI_Type_create_struct(count, lengths, places, parts, &type);
  MPI_Type_commit(&type);
  return type;
}

static double table[6][8];

static void send_rows(int n, int m, double rows[n][m], MPI_Datatype type) {
  MPI_Bcast(&rows[0][1], 1, type, 0, MPI_COMM_SELF);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  struct particle particle = {1, 2.5, {3, 4}, "five"};
  struct particle particles[10] = {{0}};
  struct particle *p = &particle;
  swapped_t s = {1, 2.0, '3'};
  struct node node = {0};
  double *heap = malloc(1000000 * sizeof *heap);
  void *nothing = heap;
  struct hidden *hidden = NULL;
  mixed_t mixed = {0};
  unsigned counts[4] = {1, 2, 3, 4};

  const int lengths[] = {1, 1, 2, 10};
  const MPI_Datatype parts[] = {MPI_INT, MPI_DOUBLE, MPI_INT, MPI_CHAR};
  const MPI_Aint places[] = {offsetof(struct particle, id), offsetof(struct particle, x),
                             offsetof(struct particle, pos), offsetof(struct particle, name)};
  MPI_Datatype plain = of_struct(4, lengths, places, parts);
  MPI_Datatype good;
  MPI_Type_create_resized(plain, 0, sizeof particle, &good);
  MPI_Type_commit(&good);

  // The addresses are subtracted in the wrong order.
  MPI_Aint base, at[3];
  MPI_Get_address(&s, &base);
  MPI_Get_address(&s.a, &at[0]);
  MPI_Get_address(&s.b, &at[1]);
  MPI_Get_address(&s.c, &at[2]);
  MPI_Datatype absolute;
  for (int i = 0; i < 3; i++) at[i] = base - at[i];
  const int ones[] = {1, 1, 1};
  MPI_Datatype turned = of_struct(3, ones, at, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE, MPI_CHAR});
  MPI_Datatype resized_turned;
  MPI_Type_create_resized(turned, 0, -24, &resized_turned);
  absolute = of_struct(3, ones, (MPI_Aint[]){base, base + 8, base + 16},
                       (MPI_Datatype[]){MPI_INT, MPI_DOUBLE, MPI_CHAR});
  MPI_Datatype from_x =
      of_struct(2, ones, (MPI_Aint[]){0, -8}, (MPI_Datatype[]){MPI_DOUBLE, MPI_INT});

  MPI_Datatype wrong = of_struct(4, (int[]){1, 1, 2, 12}, (MPI_Aint[]){0, 4, 16, 24},
                                 (MPI_Datatype[]){MPI_UNSIGNED, MPI_DOUBLE, MPI_FLOAT, MPI_CHAR});
  MPI_Datatype inside =
      of_struct(2, ones, (MPI_Aint[]){4, 12}, (MPI_Datatype[]){MPI_CHAR, MPI_INT});

  MPI_Datatype column, every_other, ten, halo;
  MPI_Type_vector(6, 1, 8, MPI_DOUBLE, &column);
  MPI_Type_vector(500000, 1, 2, MPI_DOUBLE, &every_other);
  MPI_Type_contiguous(10, good, &ten);
  MPI_Type_contiguous(3, MPI_DOUBLE, &halo);
  MPI_Type_commit(&column);
  MPI_Type_commit(&every_other);
  MPI_Type_commit(&ten);
  MPI_Type_commit(&halo);

  MPI_Datatype bytes;
  MPI_Type_contiguous(sizeof node, MPI_BYTE, &bytes);
  MPI_Type_commit(&bytes);
  MPI_Datatype of_node,
      members =
          of_struct(9, (int[]){3, 1, 1, 1, 1, 1, 1, 1, 1},
                    (MPI_Aint[]){offsetof(struct node, inner), offsetof(struct node, value),
                                 offsetof(struct node, value) + 4, offsetof(struct node, colour),
                                 offsetof(struct node, z), offsetof(struct node, ok),
                                 offsetof(struct node, wide), offsetof(struct node, count),
                                 offsetof(struct node, letter)},
                    (MPI_Datatype[]){good, MPI_FLOAT, MPI_UNSIGNED, MPI_INT, MPI_C_DOUBLE_COMPLEX,
                                     MPI_C_BOOL, MPI_LONG_DOUBLE, MPI_UINT64_T, MPI_WCHAR});
  // A component defines a bound of the struct: here MPI libraries differ in its value.
  MPI_Type_create_resized(members, 0, sizeof node, &of_node);
  mark();
  MPI_Bcast(particles, 10, good, 0, MPI_COMM_SELF);
  MPI_Bcast(&heap[100], 3, halo, 0, MPI_COMM_SELF);
  MPI_Bcast(&table[0][3], 1, column, 0, MPI_COMM_SELF);
  MPI_Bcast(&p->x, 1, MPI_INT, 0, MPI_COMM_SELF);
  MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_SELF);
  MPI_Allgather(&node.count, 1, MPI_UINT64_T, counts, 1, MPI_UINT64_T, MPI_COMM_SELF);
  send_rows(6, 8, table, column);
  MPI_Allgatherv(table[1], 8, MPI_DOUBLE, table, (int[]){8}, (int[]){16}, MPI_DOUBLE,
                 MPI_COMM_SELF);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, counts, 4, MPI_UNSIGNED, MPI_COMM_SELF);
  MPI_Finalize();
  (void)nothing;
  (void)hidden;
  (void)resized_turned, (void)from_x, (void)wrong, (void)inside, (void)every_other;
  (void)mixed, (void)ten, (void)bytes, (void)of_node;
  return counts[0] == 17;
}
