// SPDX-License-Identifier: MIT
// A long correct program of all sorts of communication that a check might take for wrong.
// traffic SEED ROUNDS FILE [--threads | --error=KIND]
// What it does in each round is drawn, the same in all processes. An error comes after the rounds.
#include <pthread.h>

#include "collective.h"
#include "constructors.h"
#include "forms.h"
#include "objects.h"
#include "planted.h"
#include "point_to_point.h"
#include "requests.h"
#include "synchronization.h"
#include "traffic.h"
#include "windows_and_files.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

static uint64_t seed;
static int rounds;
static const char *error = "";

#define ONE_OF(parts) (parts)[draw(LENGTH(parts))]()

static void one_round(void) {
  int kind = draw(threaded ? 21 : 24);
  if (kind < 8)
    ONE_OF(POINT_TO_POINT);
  else if (kind < 11)
    ONE_OF(REQUESTS);
  else if (kind < 13)
    ONE_OF(CONSTRUCTORS);
  else if (kind < 17)
    ONE_OF(COLLECTIVE);
  else if (kind < 20)
    ONE_OF(EACH_FORM);
  else if (kind < 21)
    ONE_OF(OBJECTS);
  else if (kind < 23)
    ONE_OF(SHARED);
  else
    ONE_OF(MORE_SHARED);
}

static void plant(void) {
  for (int i = 0; i < LENGTH(ERRORS); i++)
    if (!strcmp(error, ERRORS[i].name)) ERRORS[i].plant();
}

// Each communicator has its own messages, all with the same tags.
static void *run(void *with) {
  MPI_Comm comms[2] = {*(MPI_Comm *)with};
  work_on(comms[0]);
  MPI_Comm_dup(comms[0], &comms[1]);
  state = seed;
  for (tag = 1; tag <= rounds; tag++) {
    work_on(comms[draw(2)]);
    one_round();
  }
  plant();
  MPI_Comm_free(&comms[1]);
  return NULL;
}

int main(int argc, char **argv) {
  int provided;
  pthread_t other;
  MPI_Comm world = MPI_COMM_WORLD, others;
  if (argc < 4) return 64;
  seed = strtoull(argv[1], NULL, 10);
  rounds = atoi(argv[2]);
  path = argv[3];
  threaded = argc > 4 && !strcmp(argv[4], "--threads");
  if (argc > 4 && !strncmp(argv[4], "--error=", 8)) error = argv[4] + 8;
  MPI_Init_thread(&argc, &argv, threaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  if (threaded) {
    if (provided != MPI_THREAD_MULTIPLE) return 74;
    MPI_Comm_dup(world, &others);
    pthread_create(&other, NULL, run, &others);
  }
  run(&world);
  if (threaded) {
    pthread_join(other, NULL);
    MPI_Comm_free(&others);
  }
  MPI_Finalize();
  return 0;
}
