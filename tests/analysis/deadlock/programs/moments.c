// SPDX-License-Identifier: MIT
// Correct programs of two processes. Rank 1 is stopped at every instruction between the end of a
// call in MPI and the end of that call in the wrapper: `moments CASE FILE`. It makes that call when
// the file exists; rank 0 waits for its next action.
#include "begin.h"

static const char *file;

static void hold(void) {
  while (access(file, F_OK) != 0) usleep(1000);
}

static void matched(void) {
  MPI_Message message;
  if (rank == 0) {
    SEND(1, 8);
    RECEIVE(MPI_ANY_SOURCE, 5);
  } else {
    hold();
    MPI_Mprobe(0, MPI_ANY_TAG, WORLD, &message, IGNORED);
    MPI_Mrecv(&in, 1, MPI_INT, &message, IGNORED);
    SEND(0, 5);
  }
}

static void received(void) {
  if (rank == 0) {
    SEND(1, 8);
    RECEIVE(MPI_ANY_SOURCE, 5);
  } else {
    hold();
    RECEIVE(MPI_ANY_SOURCE, MPI_ANY_TAG);
    SEND(0, 5);
  }
}

// The same after a nonblocking receive has taken an unknown message.
static void received_then(void) {
  MPI_Request request;
  if (rank == 0) {
    SEND(1, 7);
    SEND(1, 8);
    RECEIVE(1, 5);
  } else {
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 7, WORLD, &request);
    MPI_Wait(&request, IGNORED);
    hold();
    RECEIVE(MPI_ANY_SOURCE, MPI_ANY_TAG);
    SEND(0, 5);
  }
}

static void completed(void) {
  MPI_Request request;
  if (rank == 0) {
    SEND(1, 7);
    RECEIVE(1, 5);
  } else {
    hold();
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 7, WORLD, &request);
    MPI_Wait(&request, IGNORED);
    SEND(0, 5);
  }
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } CASES[] = {{"matched", matched},
               {"received", received},
               {"received-then", received_then},
               {"completed", completed}};
  begin(&argc, &argv);
  file = argv[2];
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    if (strcmp(CASES[i].name, argv[1]) == 0) CASES[i].run();
  }
  pause();
}
