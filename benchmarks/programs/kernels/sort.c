// SPDX-License-Identifier: MIT
// Integer sort: each process puts its keys into buckets, which MPI_Alltoallv sends to their owners.
#include "kernel.h"

#include <string.h>

enum { KEYS = 1 << 15, MOST = 1 << 16, BUCKETS = 512, WIDTH = MOST / BUCKETS }; // each process

static int *keys, *parted, *received, *found;
static int counts[BUCKETS], totals[BUCKETS];
static int *sent_to, *sent_from, *got_from, *got_at;

static void prepare(void) {
  keys = zeros(KEYS, sizeof *keys);
  parted = zeros(KEYS, sizeof *parted);
  received = zeros((size_t)KEYS * 4, sizeof *received);
  found = zeros(MOST, sizeof *found);
  sent_to = zeros((size_t)size, sizeof *sent_to);
  sent_from = zeros((size_t)size, sizeof *sent_from);
  got_from = zeros((size_t)size, sizeof *got_from);
  got_at = zeros((size_t)size, sizeof *got_at);
  for (int i = 0; i < KEYS; i++) {
    unsigned long first = 4 * (unsigned long)(rank * KEYS + i);
    double mean = number(first) + number(first + 1) + number(first + 2) + number(first + 3);
    keys[i] = (int)(mean / 4 * MOST);
  }
}

// Sorts the keys into buckets, and counts those that each process gets.
static void part(void) {
  int next[BUCKETS], begin = 0, to = 0;
  memset(counts, 0, sizeof counts);
  for (int i = 0; i < KEYS; i++) counts[keys[i] / WIDTH]++;
  for (int i = 0; i < BUCKETS; i++) next[i] = begin, begin += counts[i];
  for (int i = 0; i < KEYS; i++) parted[next[keys[i] / WIDTH]++] = keys[i];
  MPI_Allreduce(counts, totals, BUCKETS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  memset(sent_to, 0, (size_t)size * sizeof *sent_to);
  for (long i = 0, sum = 0; i < BUCKETS; i++) {
    if (to < size - 1 && sum >= (long)KEYS * (to + 1)) to++;
    sum += totals[i];
    sent_to[to] += counts[i];
  }
}

static int exchange(void) {
  MPI_Alltoall(sent_to, 1, MPI_INT, got_from, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 1; i < size; i++) {
    sent_from[i] = sent_from[i - 1] + sent_to[i - 1];
    got_at[i] = got_at[i - 1] + got_from[i - 1];
  }
  MPI_Alltoallv(parted, sent_to, sent_from, MPI_INT, received, got_from, got_at, MPI_INT,
                MPI_COMM_WORLD);
  return got_at[size - 1] + got_from[size - 1];
}

static double iterate(int iterations) {
  int count = 0;
  for (int n = 0; n < iterations; n++) {
    keys[n % KEYS] = (keys[n % KEYS] + 1) % MOST;
    part();
    count = exchange();
    memset(found, 0, MOST * sizeof *found);
    for (int i = 0; i < count; i++) found[received[i]]++;
  }
  double sum = 0; // the sum over the sorted keys
  for (int i = 0; i < MOST; i++) sum += (double)found[i] * number((unsigned long)i);
  return sum;
}

static void clean_up(void) {
  free(keys);
  free(parted);
  free(received);
  free(found);
  free(sent_to);
  free(sent_from);
  free(got_from);
  free(got_at);
}
