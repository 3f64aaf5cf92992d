// SPDX-License-Identifier: MIT
// Shared by the parts of traffic.c: the thread's rank and communicator, and its random numbers.
#ifndef TRAFFIC_H
#define TRAFFIC_H
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 20000, SMALL = 24 }; // doubles: sent by rendezvous; eagerly

static int threaded; // there are several threads

// Each thread has its own communicator, so that it is a program of its own.
static _Thread_local MPI_Comm comm;
static _Thread_local int rank, size, left, right;
static _Thread_local int partner;    // MPI_PROC_NULL for the last of an odd number
static _Thread_local int is_first;   // of the two partners
static _Thread_local int tag;        // of this round
static _Thread_local int wild;       // wildcards and cancelling are wanted
static _Thread_local uint64_t state; // the same in all processes
// Bytes, for data of any type.
static _Thread_local _Alignas(double) char out_room[8 * LARGE], in_room[8 * LARGE];
#define out ((double *)out_room)
#define in ((double *)in_room)

// From 0 to limit - 1, the same in all processes: each must draw as often.
static int draw(int limit) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (uint64_t)limit);
}

// Processes are late for each other, by random numbers of their own.
static void dawdle(void) {
  static _Thread_local unsigned own;
  own = own * 1103515245u + 12345u + (unsigned)rank;
  if ((own >> 16) % 4 == 0) usleep((own >> 20) % 300);
}

static int some_amount(void) {
  return draw(3) ? 1 + draw(SMALL) : LARGE;
}

static void must(int condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "traffic: rank %d, tag %d: %s\n", rank, tag, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}
#define MUST(condition) must(condition, #condition)

// With the communicator to work on.
static void work_on(MPI_Comm with) {
  comm = with;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  partner = (rank ^ 1) < size ? rank ^ 1 : MPI_PROC_NULL;
  is_first = rank % 2 == 0;
}

static MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

#endif
