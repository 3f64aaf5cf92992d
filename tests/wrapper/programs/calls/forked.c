// SPDX-License-Identifier: MIT
// A child of a fork continues with the registry of its own.
#include <sys/wait.h>

#include "probe.h"

int main(void) {
  MPI_Datatype before, after;
  MPI_Init(NULL, NULL);
  MPI_Type_vector(2, 3, 4, MPI_INT, &before);
  pid_t child = fork();
  if (child == 0) {
    probe_connect();
    MPI_Type_contiguous(5, before, &after); // local, needs no communication
    SAY(before), SAY(after);
    look("child");
    _exit(0);
  }
  SAY(before);
  look("parent");
  waitpid(child, NULL, 0);
  MPI_Finalize();
  return 0;
}
