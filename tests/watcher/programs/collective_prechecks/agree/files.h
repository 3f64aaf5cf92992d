// SPDX-License-Identifier: MIT
// Calls on windows and files.
ROW(fence_assert) {
  MPI_Win win;
  MPI_Win_create(more, sizeof more, 1, MPI_INFO_NULL, comm, &win);
  MPI_Win_fence(OTHER(0, MPI_MODE_NOPRECEDE), win);
  MPI_Win_fence(OTHER(0, MPI_MODE_NOSTORE), win);
  MPI_Win_free(&win);
}

static const char *path;
static MPI_File opened(int amode) {
  MPI_File file;
  if (MPI_File_open(comm, path, amode, MPI_INFO_NULL, &file) != MPI_SUCCESS) return MPI_FILE_NULL;
  return file;
}
enum { PLAIN = MPI_MODE_CREATE | MPI_MODE_RDWR };
ROW(open_amode) {
  MPI_File file = opened(OTHER(PLAIN, PLAIN | MPI_MODE_UNIQUE_OPEN));
  if (file != MPI_FILE_NULL) MPI_File_close(&file);
}
ROW(set_size) {
  MPI_File file = opened(PLAIN);
  MPI_File_set_size(file, OTHER(64, 32));
  MPI_File_close(&file);
}
ROW(preallocate) {
  MPI_File file = opened(PLAIN);
  MPI_File_preallocate(file, OTHER(64, 32));
  MPI_File_close(&file);
}
ROW(view_etype) {
  MPI_File file = opened(PLAIN);
  MPI_Datatype type = OTHER(MPI_INT, MPI_DOUBLE);
  MPI_File_set_view(file, 0, type, type, "native", MPI_INFO_NULL);
  MPI_File_close(&file);
}
ROW(view_datarep) {
  MPI_File file = opened(PLAIN);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, OTHER("native", "NATIVE"), MPI_INFO_NULL);
  MPI_File_close(&file);
}
ROW(atomicity) {
  MPI_File file = opened(PLAIN);
  MPI_File_set_atomicity(file, differs);
  MPI_File_close(&file);
}
ROW(seek_shared) {
  MPI_File file = opened(PLAIN);
  MPI_File_seek_shared(file, OTHER(8, 4), MPI_SEEK_SET);
  MPI_File_close(&file);
}
ROW(file_missing) {
  MPI_File file = opened(PLAIN);
  MPI_File_sync(file);
  if (!differs) MPI_File_sync(file);
  MPI_File_close(&file);
}
ROW(file_order) {
  MPI_File file = opened(PLAIN);
  MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
  if (differs)
    MPI_File_write_at_all(file, 0, ints, 0, MPI_INT, MPI_STATUS_IGNORE);
  else
    MPI_File_read_at_all(file, 0, more, 0, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}
ROW(file_split) {
  MPI_File file = opened(PLAIN);
  if (differs) {
    MPI_File_read_at_all_begin(file, 0, more, 0, MPI_INT);
    MPI_File_read_at_all_end(file, more, MPI_STATUS_IGNORE);
  } else {
    MPI_File_read_at_all(file, 0, more, 0, MPI_INT, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&file);
}
ROW(file_all) {
  MPI_File file = opened(PLAIN);
  MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
  if (differs)
    MPI_File_write_all(file, ints, 0, MPI_INT, MPI_STATUS_IGNORE);
  else
    MPI_File_read_all(file, more, 0, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}
ROW(file_ordered) {
  MPI_File file = opened(PLAIN);
  MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
  if (differs)
    MPI_File_write_ordered(file, ints, 0, MPI_INT, MPI_STATUS_IGNORE);
  else
    MPI_File_read_ordered(file, more, 0, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}
