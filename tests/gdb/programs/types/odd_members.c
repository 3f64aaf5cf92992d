// SPDX-License-Identifier: MIT
// Structs with unusual members, for which test_make.py makes datatypes.
#include <mpi.h>

#include "../mark.h"

typedef struct {
  char a : 3;
  int b : 10; // shares a byte with a
  int last;
} shared_t;

typedef struct __attribute__((packed)) {
  unsigned a : 20, b : 19, c : 20; // each shares a byte with the next
} packed_t;

struct list {
  struct list *next, *previous;
};

struct nothing {};

typedef struct {
  struct list first, second;
  struct nothing none;
  int _Complex z;
  struct {
    union {
      int whole;
      float real;
    };
  } value;
  int last;
} links_t;

typedef struct {
  char c[3000000000];
} huge_t;

static double values[4];

static void fill(void) { // the stack, so that `later` seems to have 2^44 elements at 2^44
  volatile long stack[64];
  for (int i = 0; i < 64; i++) stack[i] = 1L << 44;
}

static double send(int count) {
  MPI_Bcast(values, 4, MPI_DOUBLE, 0, MPI_COMM_SELF);
  double later[count];
  later[0] = count;
  return later[0];
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  shared_t shared = {0};
  packed_t packed = {0};
  links_t links = {0};
  struct nothing nothing;
  huge_t *huge = 0;
  mark();
  fill();
  send(2);
  (void)shared, (void)packed, (void)links, (void)nothing, (void)huge;
  MPI_Finalize();
}
