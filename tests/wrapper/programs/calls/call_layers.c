// SPDX-License-Identifier: MIT
// The program calls MPI through its own layer, and the layer's callers are recorded.
#include "probe.h"

static __attribute__((noinline)) void layer(MPI_Datatype *type) {
  MPI_Type_contiguous(3, MPI_INT, type);
  LINE("inner");
  MPI_Type_commit(type);
}

static __attribute__((noinline)) void user(MPI_Datatype *type) {
  layer(type), LINE("middle");
  MPI_Type_set_name(*type, "mine");
}

static void receive(MPI_Request *request) {
  static int number;
  MPI_Irecv(&number, 1, MPI_INT, 0, 1, MPI_COMM_SELF, request), LINE("receive");
}

int main(void) {
  MPI_Datatype type;
  MPI_Request request;
  MPI_Init(NULL, NULL);
  user(&type), LINE("outer");
  receive(&request), LINE("receiver");
  SAY(type), SAY(request);
  look("made");
  return 0;
}
