// SPDX-License-Identifier: MIT
// Clang 14 to 19 have compiled this file to the modules beside it (clangN.ll): the functions,
// without declarations and metadata. Options: those of `mpipp cc`, and -O2 -g.
#include <stdatomic.h>
#include <string.h>

void take(int *);

long sums(const long *values, long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) sum += values[i];
  return sum;
}

void scales(double *rows, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) rows[i * (long)m + j] *= 2;
}

void gathers(double *to, const double *from, const int *at, int n) {
  for (int i = 0; i < n; i++) to[i] = from[at[i]];
}

void calls(int *values, int n) {
  for (int i = 0; i < n; i++) {
    values[i] = i;
    take(values);
  }
}

int gives_local_away(int i) {
  int few[4] = {1, 2, 3, 4};
  take(few);
  return few[i & 3];
}

int adds_atomically(atomic_int *at) {
  return atomic_fetch_add(at, 1);
}

long double loads_wide(long double *at) {
  return *at;
}

void copies(char *to, const char *from, long n) {
  memcpy(to, from, n);
}

int loads_by_segment(int __attribute__((address_space(256))) * at) {
  return *at;
}
