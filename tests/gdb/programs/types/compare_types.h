// SPDX-License-Identifier: MIT
// The structs of compare.c.
#ifndef COMPARE_TYPES_H
#define COMPARE_TYPES_H

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

struct particle {
  int id;
  double x;
  int pos[2];
  char name[10];
};

typedef struct {
  int a;
  double b;
  char c;
} swapped_t;

struct node {
  struct particle inner[3];
  struct node *next;
  union {
    int whole;
    float real;
  } value;
  unsigned flag : 3;
  unsigned mode : 5;
  enum { RED, GREEN } colour;
  double complex z;
  bool ok;
  long double wide;
  uint64_t count;
  wchar_t letter;
};

typedef struct {
  short pair[2][3];
  struct {
    float u, v;
  } texture[4];
  struct {
    char letter;
    double value;
  };
  union {
    int i;
    double d;
  };
  struct particle first, second;
  unsigned char tail[0];
} mixed_t;

#endif
