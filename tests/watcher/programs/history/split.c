// SPDX-License-Identifier: MIT
// Split collective calls on a file, each case on a file of its own, wrong or right.
#include <mpi.h>
#include <string.h>

static int wrong, ints[4], more[4];
static MPI_File file;

#define CASE(NAME) static void NAME(void)

CASE(beside) {
  MPI_File_write_at_all_begin(file, 0, ints, 4, MPI_INT);
  if (wrong) MPI_File_write_at_all(file, 64, more, 4, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_end(file, ints, MPI_STATUS_IGNORE);
  MPI_File_write_at_all(file, 64, more, 4, MPI_INT, MPI_STATUS_IGNORE);
}
CASE(twice) {
  MPI_File_write_all_begin(file, ints, 4, MPI_INT);
  if (wrong) MPI_File_write_all_begin(file, more, 4, MPI_INT);
  MPI_File_write_all_end(file, ints, MPI_STATUS_IGNORE);
}
CASE(not_begun) {
#ifdef OPEN_MPI
  if (wrong) return; // MPI crashes in the wrong case
#endif
  if (!wrong) MPI_File_write_ordered_begin(file, ints, 4, MPI_INT);
  MPI_File_write_ordered_end(file, ints, MPI_STATUS_IGNORE);
}
CASE(other_end) {
  MPI_File_write_at_all_begin(file, 0, ints, 4, MPI_INT);
  if (wrong)
    MPI_File_write_all_end(file, ints, MPI_STATUS_IGNORE);
  else
    MPI_File_write_at_all_end(file, ints, MPI_STATUS_IGNORE);
}
CASE(synced) {
  MPI_File_write_at_all_begin(file, 0, ints, 4, MPI_INT);
  if (wrong) MPI_File_sync(file);
  MPI_File_write_at_all_end(file, ints, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
}
// Calls that are not collective may come in between.
CASE(independent) {
  MPI_File_write_at_all_begin(file, 0, ints, 4, MPI_INT);
  MPI_File_write_at(file, 64, more, 4, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_end(file, ints, MPI_STATUS_IGNORE);
}
CASE(viewed) {
  MPI_Request request;
  MPI_File_iwrite(file, ints, 4, MPI_INT, &request);
  if (!wrong) MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  if (wrong) MPI_Wait(&request, MPI_STATUS_IGNORE);
}
// This case is last, because the library may fail to close the file.
CASE(closed) {
  MPI_File_write_at_all_begin(file, 0, ints, 4, MPI_INT);
  if (!wrong) MPI_File_write_at_all_end(file, ints, MPI_STATUS_IGNORE);
}

static void (*const cases[])(void) = {
    beside, twice, not_begun, other_end, synced, independent, viewed, closed,
};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  wrong = argc > 2 && strcmp(argv[2], "wrong") == 0;
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    cases[i]();
    MPI_File_close(&file);
  }
  MPI_Finalize();
}
