// SPDX-License-Identifier: MIT
// Structs with members of every odd sort: test_make.py makes their datatypes.
#include <mpi.h>

#include "mark.h"

typedef struct {
  char a : 3;
  int b : 10; // in the same byte as a
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

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  shared_t shared = {0};
  packed_t packed = {0};
  links_t links = {0};
  struct nothing nothing;
  huge_t *huge = 0;
  mark();
  (void)shared, (void)packed, (void)links, (void)nothing, (void)huge;
  MPI_Finalize();
}
