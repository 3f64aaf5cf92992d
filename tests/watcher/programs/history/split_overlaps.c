// SPDX-License-Identifier: MIT
// Buffers that overlap the buffer of a pending split collective call on a file: wrong or right.
#include <mpi.h>
#include <string.h>

static int wrong, ints[8], more[8];
static MPI_File file, other;
static char content[4096]; // Open MPI waits for data that is not in a file
static MPI_Datatype pairs; // the first and the third of three ints

#define CASE(NAME) static void NAME(void)

CASE(sent) { // both buffers overlap it
  MPI_File_read_at_all_begin(file, 0, ints, 4, MPI_INT);
  MPI_Sendrecv(wrong ? ints + 3 : ints + 4, 1, MPI_INT, 0, 1, wrong ? ints : more, 1, MPI_INT, 0, 1,
               MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_File_read_at_all_end(file, ints, MPI_STATUS_IGNORE);
}
CASE(packed) { // the most frequent form: one buffer, a predefined datatype
  int position = 0;
  MPI_File_read_all_begin(file, ints, 4, MPI_INT);
  MPI_Pack(wrong ? ints : more, 1, MPI_INT, more + 4, 8, &position, MPI_COMM_SELF);
  MPI_File_read_all_end(file, ints, MPI_STATUS_IGNORE);
}
CASE(received) {
  MPI_Request request;
  MPI_File_write_all_begin(file, ints, 1, pairs);
  MPI_Irecv(wrong ? ints + 2 : ints + 1, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &request);
  MPI_Send(more, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_write_all_end(file, ints, MPI_STATUS_IGNORE);
}
CASE(before) {
  MPI_Request request;
  MPI_Irecv(ints, 4, MPI_INT, 0, 3, MPI_COMM_SELF, &request);
  MPI_File_write_ordered_begin(file, wrong ? ints + 1 : more, 2, MPI_INT);
  MPI_Send(ints + 4, 4, MPI_INT, 0, 3, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_write_ordered_end(file, ints, MPI_STATUS_IGNORE);
}
CASE(started) {
  MPI_Request request;
  MPI_Recv_init(wrong ? ints : more, 1, MPI_INT, 0, 4, MPI_COMM_SELF, &request);
  MPI_File_write_at_all_begin(file, 0, ints, 4, MPI_INT);
  MPI_Start(&request);
  MPI_Send(more + 4, 1, MPI_INT, 0, 4, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_end(file, ints, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}
CASE(independent) {
  MPI_File_write_at_all_begin(file, 0, ints, 4, MPI_INT);
  MPI_File_read_at(file, 0, wrong ? ints : more, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_end(file, ints, MPI_STATUS_IGNORE);
}
CASE(files) {
  MPI_File_write_at_all_begin(file, 0, ints, 4, MPI_INT);
  MPI_File_read_ordered_begin(other, wrong ? ints : more, 4, MPI_INT);
  MPI_File_read_ordered_end(other, more, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_end(file, ints, MPI_STATUS_IGNORE);
}
CASE(many) { // many other requests are pending
  static int received[40];
  MPI_Request requests[40];
  for (int i = 0; i < 40; i++)
    MPI_Irecv(&received[i], 1, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[i]);
  MPI_File_read_all_begin(file, ints, 4, MPI_INT);
  for (int i = 0; i < 40; i++)
    MPI_Send(wrong ? ints + 3 : ints + 4, 1, MPI_INT, 0, 5, MPI_COMM_SELF);
  MPI_Waitall(40, requests, MPI_STATUSES_IGNORE);
  MPI_File_read_all_end(file, ints, MPI_STATUS_IGNORE);
}
// Always correct: both calls only read, the call is complete, or it is on another file.
CASE(fine) {
  MPI_File_write_at_all_begin(file, 0, ints, 4, MPI_INT);
  MPI_Sendrecv(ints, 4, MPI_INT, 0, 6, more, 4, MPI_INT, 0, 6, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_end(file, ints, MPI_STATUS_IGNORE);
  MPI_Sendrecv(more, 4, MPI_INT, 0, 6, ints, 4, MPI_INT, 0, 6, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_begin(other, 0, more, 4, MPI_INT);
  MPI_Sendrecv(more, 4, MPI_INT, 0, 6, ints, 4, MPI_INT, 0, 6, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_end(other, more, MPI_STATUS_IGNORE);
}

static void (*const cases[])(void) = {
    sent, packed, received, before, started, independent, files, many, fine,
};

int main(int argc, char **argv) {
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  MPI_Init(&argc, &argv);
  wrong = argc > 3 && strcmp(argv[3], "wrong") == 0;
  MPI_Type_vector(2, 1, 2, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  MPI_File_open(MPI_COMM_SELF, argv[1], mode, MPI_INFO_NULL, &file);
  MPI_File_open(MPI_COMM_SELF, argv[2], mode, MPI_INFO_NULL, &other);
  MPI_File_write_at_all(file, 0, content, sizeof content, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_write_at_all(other, 0, content, sizeof content, MPI_BYTE, MPI_STATUS_IGNORE);
  for (int round = 0; round < 50; round++) {
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) cases[i]();
  }
  MPI_File_close(&other);
  MPI_File_close(&file);
  MPI_Type_free(&pairs);
  MPI_Finalize();
}
