// SPDX-License-Identifier: MIT
// Short sends that are complete from the start and share one handle.
#include "probe.h"

enum { MANY = 3000 };
static int in[MANY], out[64];

static void send_few(MPI_Comm comm) {
  MPI_Request send[5], moved;
  for (int i = 0; i < 5; i++) MPI_Isend(out + i, 1, MPI_INT, 1, 40 + i, comm, &send[i]);
  say("shared", send[0] == send[1]);
  look("five sends");
  MPI_Wait(&send[2], MPI_STATUS_IGNORE);
  look("the middle one");
  MPI_Wait(&send[4], MPI_STATUS_IGNORE);
  look("the newest");
  moved = send[0];
  MPI_Wait(&moved, MPI_STATUS_IGNORE);
  look("one that was moved");
  MPI_Request rest[] = {send[1], send[3]};
  MPI_Waitall(2, rest, MPI_STATUSES_IGNORE);
  look("all of them");
}

// One variable holds all requests in turn; each except the last is copied.
static void send_from_one_place(MPI_Comm comm) {
  MPI_Request send, copies[2];
  for (int i = 0; i < 2; i++) {
    MPI_Isend(out + 5 + i, 1, MPI_INT, 1, 45, comm, &send);
    copies[i] = send;
  }
  MPI_Isend(out + 7, 1, MPI_INT, 1, 45, comm, &send);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  look("the last of one place");
  MPI_Waitall(2, copies, MPI_STATUSES_IGNORE);
}

int main(void) {
  int rank;
  static MPI_Request many[MANY];
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(comm, &rank);
  ADDRESS(in), ADDRESS(out);
  if (rank == 0) {
    send_few(comm);
    send_from_one_place(comm);
    for (int i = 0; i < MANY; i++) MPI_Isend(out, 1, MPI_INT, 1, 1, comm, &many[i]);
  } else {
    look("receiver");
    for (int i = 0; i < 5; i++) MPI_Recv(in, 1, MPI_INT, 0, 40 + i, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++) MPI_Recv(in, 1, MPI_INT, 0, 45, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < MANY; i++) MPI_Irecv(in + i, 1, MPI_INT, 0, 1, comm, &many[i]);
  }
  look("many");
  MPI_Waitall(MANY, many, MPI_STATUSES_IGNORE);
  MPI_Barrier(comm);
  look("end");
  MPI_Finalize();
  return 0;
}
