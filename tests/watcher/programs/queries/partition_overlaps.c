// SPDX-License-Identifier: MIT
// Other calls' buffers in partitions of active sends and receives: correct cases, and then the
// error that each word names. With "many" first, many receives are pending.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { PARTS = 6, N = 4 };

static int out[PARTS * N], in[PARTS * N], more[N];
static MPI_Request requests[3];
static const char *wrong;

static int is(const char *what) {
  return strcmp(wrong, what) == 0;
}

static void start(void) {
  MPI_Psend_init(out, PARTS, N, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(in, PARTS, N, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &requests[1]);
  MPI_Startall(2, requests);
}

static void end(void) {
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void receive_into(int *place) {
  MPI_Irecv(place, N, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[2]);
}

static void received(void) {
  MPI_Send(more, N, MPI_INT, 0, 1, MPI_COMM_SELF);
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
}

// The program fills partitions one after the other, and sends from one that is ready.
static void written(int is_wrong) {
  start();
  for (int i = 0; i < PARTS; i++) {
    int at = is_wrong && i == 3 ? 2 : i;
    receive_into(out + at * N);
    received();
    MPI_Pready(i, requests[0]);
    MPI_Sendrecv(out, N, MPI_INT, 0, 2, more, N, MPI_INT, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }
  end();
}

// Some partitions are ready while the program writes to another.
static void marked(int is_wrong) {
  int others[] = {0, 2, 3, 5, is_wrong ? 1 : 4}, last[] = {is_wrong ? 4 : 1};
  start();
  receive_into(out + N);
  MPI_Pready_list(5, others, requests[0]);
  received();
  MPI_Pready_list(1, last, requests[0]);
  end();
}

// Partitions that have not arrived, or were not tested, must not be used.
static void arrived(int is_wrong) {
  start();
  MPI_Pready_range(0, PARTS - 1, requests[0]);
  for (int flag = 0; !flag;) MPI_Parrived(requests[1], 1, &flag);
  receive_into(in + (is_wrong ? 2 : 1) * N);
  received();
  end();
}

// Between the columns of ready partitions there is memory that the message does not use.
static void columns(int is_wrong) {
  MPI_Datatype vector, column;
  MPI_Type_vector(2, 1, 3, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, N * sizeof(int), &column);
  MPI_Type_commit(&column);
  MPI_Psend_init(out, PARTS, 1, column, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(in, PARTS, 1, column, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Pready(4, requests[0]);
  MPI_Irecv(out + 4 * N + (is_wrong ? 2 : 1), 2, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[2]);
  MPI_Send(more, 2, MPI_INT, 0, 1, MPI_COMM_SELF);
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  MPI_Pready_range(0, 3, requests[0]);
  MPI_Pready(5, requests[0]);
  end();
  MPI_Type_free(&column);
  MPI_Type_free(&vector);
}

int main(int argc, char **argv) {
  MPI_Request pending[20];
  int from[20];
  MPI_Init(NULL, NULL);
  // With so many requests, the wrapper keeps an index of their addresses.
  int first = argc > 1 && strcmp(argv[1], "many") == 0 ? 2 : 1, many = first > 1 ? 20 : 0;
  for (int i = 0; i < many; i++) MPI_Irecv(&from[i], 1, MPI_INT, 0, 9, MPI_COMM_SELF, &pending[i]);
  wrong = "";
  for (int i = first; i <= argc; i++) {
    written(is("written"));
    marked(is("marked"));
    arrived(is("arrived"));
    columns(is("columns"));
    wrong = i < argc ? argv[i] : "";
  }
  for (int i = 0; i < many; i++) MPI_Send(more, 1, MPI_INT, 0, 9, MPI_COMM_SELF);
  MPI_Waitall(many, pending, MPI_STATUSES_IGNORE);
  MPI_Finalize();
  fputs("done\n", stdout);
  return 0;
}
