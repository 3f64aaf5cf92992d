// SPDX-License-Identifier: MIT
// Messages of two processes, each case on a communicator of its own. The arguments name the cases,
// after "right" or "wrong".
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, wrong;
static MPI_Comm comm;
static int ints[64], more[64], buffers[16][64];

#define CASE(NAME) static void NAME(void)

CASE(truncated) {
  if (rank == 0)
    MPI_Send(ints, 8, MPI_INT, 1, 0, comm);
  else
    MPI_Recv(ints, wrong ? 6 : 8, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
}
CASE(truncated_any) {
  if (rank == 0)
    MPI_Send(ints, 8, MPI_INT, 1, 0, comm);
  else
    MPI_Recv(ints, wrong ? 6 : 8, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
}
CASE(truncated_exchange) {
  int count = wrong && rank == 1 ? 6 : 8;
  MPI_Sendrecv(ints, 8, MPI_INT, !rank, 0, more, count, MPI_INT, !rank, 0, comm, MPI_STATUS_IGNORE);
}
CASE(truncated_wait) {
  MPI_Request request;
  if (rank == 0)
    MPI_Isend(ints, 8, MPI_INT, 1, 0, comm, &request);
  else
    MPI_Irecv(ints, wrong ? 6 : 8, MPI_INT, 0, 0, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
CASE(truncated_probed) {
  MPI_Message message;
  if (rank == 0) {
    MPI_Send(ints, 8, MPI_INT, 1, 0, comm);
    return;
  }
  MPI_Mprobe(0, 0, comm, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(ints, wrong ? 6 : 8, MPI_INT, &message, MPI_STATUS_IGNORE);
}
// Both processes draw the same random numbers; in one process, one number deviates.
static unsigned long state;
static int drawn(int below) {
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return (int)((state >> 33) % (unsigned long)below);
}
static void random_messages(int wrong_count, MPI_Datatype wrong_type) {
  state = 1;
  for (int i = 1; i <= 3000; i++) {
    int count = drawn(40), tag = drawn(3), odd = wrong && i == 2000;
    int sent = odd ? count + wrong_count : count;
    if (rank == 0)
      MPI_Send(ints, sent, odd ? wrong_type : MPI_INT, 1, tag, comm);
    else
      MPI_Recv(more, count, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE);
  }
}
CASE(one_too_long) {
  random_messages(1, MPI_INT);
}
CASE(one_of_another_type) {
  random_messages(0, MPI_FLOAT);
}
CASE(longer_buffers) {
  state = 1;
  for (int i = 1; i <= 3000; i++) {
    int count = drawn(40), odd = wrong && i == 2500;
    if (rank == 0)
      MPI_Send(ints, odd ? 41 : count, MPI_INT, 1, 0, comm);
    else
      MPI_Recv(more, 40, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
  }
}
// Rank 1 receives in the order in which rank 0 sends, in batches, by any kind of receive. It
// completes them in any order, in any way.
static void complete(int count, MPI_Request *requests) {
  int found, flag, indices[16];
  MPI_Status statuses[16];
  int ignored = drawn(2);
  switch (drawn(6)) {
  case 0:
    MPI_Waitany(count, requests, &found, ignored ? MPI_STATUS_IGNORE : statuses);
    break;
  case 1:
    MPI_Waitsome(count, requests, &found, indices, ignored ? MPI_STATUSES_IGNORE : statuses);
    break;
  case 2:
    MPI_Testany(count, requests, &found, &flag, ignored ? MPI_STATUS_IGNORE : statuses);
    break;
  case 3:
    MPI_Testsome(count, requests, &found, indices, ignored ? MPI_STATUSES_IGNORE : statuses);
    break;
  case 4:
    MPI_Wait(&requests[drawn(count)], ignored ? MPI_STATUS_IGNORE : statuses);
    break;
  default:
    MPI_Test(&requests[drawn(count)], &flag, ignored ? MPI_STATUS_IGNORE : statuses);
  }
}
static void post(int i, int count, int tag, MPI_Request *request) {
  int source = drawn(2) ? MPI_ANY_SOURCE : 0, wanted = drawn(2) ? MPI_ANY_TAG : tag;
  *request = MPI_REQUEST_NULL;
  switch (drawn(8)) {
  case 0:
    if (i == 0) { // otherwise the call would wait for the earlier messages
      MPI_Recv(buffers[i], count, MPI_INT, source, wanted, comm, MPI_STATUS_IGNORE);
      break;
    } // fall through
  case 1:
  case 2:
    MPI_Irecv(buffers[i], count, MPI_INT, 0, tag, comm, request);
    break;
  default:
    MPI_Irecv(buffers[i], count, MPI_INT, source, wanted, comm, request);
  }
}
CASE(any_message) {
  for (int batch = 1; batch <= 150; batch++) {
    MPI_Request requests[16];
    int counts[16], tags[16], count = 16;
    state = (unsigned long)batch;
    for (int i = 0; i < count; i++) counts[i] = drawn(40), tags[i] = drawn(3);
    for (int i = 0; i < count; i++) {
      int odd = wrong && batch == 100 && i == 0;
      if (rank == 0)
        MPI_Isend(ints, counts[i] + odd, MPI_INT, 1, tags[i], comm, &requests[i]);
      else
        post(i, counts[i], tags[i], &requests[i]);
    }
    for (int i = 0; rank == 1 && i < 8; i++) complete(count, requests);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
}

// Less data than the receive allows, sometimes ending within an entry of the datatype.
CASE(partial) {
  MPI_Datatype pair, types[2] = {MPI_INT, MPI_DOUBLE}, odd = wrong ? MPI_FLOAT : MPI_DOUBLE;
  MPI_Aint displacements[2] = {0, 8};
  int lengths[2] = {1, 1};
  MPI_Type_create_struct(2, lengths, displacements, types, &pair);
  MPI_Type_commit(&pair);
  if (rank == 0) {
    MPI_Datatype sent, parts[3] = {MPI_INT, odd, MPI_INT};
    MPI_Aint places[3] = {0, 8, 16};
    int ones[3] = {1, 1, 1};
    MPI_Type_create_struct(3, ones, places, parts, &sent);
    MPI_Type_commit(&sent);
    MPI_Send(ints, 1, sent, 1, 0, comm);
    MPI_Type_free(&sent);
  } else {
    MPI_Recv(ints, 4, pair, 0, 0, comm, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&pair);
}
CASE(probed_any) {
  MPI_Message message;
  MPI_Request request;
  int flag = 0;
  if (rank == 0) {
    for (int tag = 0; tag < 3; tag++) MPI_Send(ints, 8 - tag, MPI_INT, 1, tag, comm);
    return;
  }
  MPI_Mprobe(MPI_ANY_SOURCE, 2, comm, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(ints, 6, MPI_INT, &message, MPI_STATUS_IGNORE);
  while (!flag) MPI_Improbe(0, MPI_ANY_TAG, comm, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(ints, wrong ? 7 : 8, MPI_INT, &message, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Recv(ints, 7, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
}

CASE(many_tags) {
  for (int tag = 0; tag < 6000; tag++) {
    if (rank == 0)
      MPI_Send(ints, 3, wrong && tag == 5500 ? MPI_FLOAT : MPI_INT, 1, tag, comm);
    else
      MPI_Recv(ints, 3, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE);
  }
}

#define ENTRY(NAME)                                                                                \
  { #NAME, NAME }
static const struct {
  const char *name;
  void (*run)(void);
} cases[] = {
    ENTRY(truncated),           ENTRY(truncated_any),    ENTRY(truncated_exchange),
    ENTRY(truncated_wait),      ENTRY(truncated_probed), ENTRY(one_too_long),
    ENTRY(one_of_another_type), ENTRY(longer_buffers),   ENTRY(any_message),
    ENTRY(many_tags),           ENTRY(partial),          ENTRY(probed_any),
};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  wrong = strcmp(argv[1], "wrong") == 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int wanted = argc < 3;
    for (int a = 2; a < argc; a++) wanted |= strcmp(argv[a], cases[i].name) == 0;
    if (!wanted) continue;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    cases[i].run();
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return 0;
}
