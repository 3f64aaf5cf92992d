// SPDX-License-Identifier: MIT
// Windows and files.
#ifndef SHARED_H
#define SHARED_H
#include "traffic.h"

static const char *path; // of a file that nobody else uses

static void windows(void) {
  double *memory;
  MPI_Win win;
  MPI_Group all, neighbors;
  MPI_Request r;
  int n = 1 + draw(SMALL), way = draw(4);
  MPI_Win_allocate(2 * SMALL * sizeof *memory, sizeof *memory, MPI_INFO_NULL, comm, &memory, &win);
  if (way == 0) {
    MPI_Win_fence(0, win);
    MPI_Put(out, n, MPI_DOUBLE, right, 0, n, MPI_DOUBLE, win);
    MPI_Put(out, n, MPI_DOUBLE, left, SMALL, n, MPI_DOUBLE, win);
    dawdle();
    MPI_Win_fence(0, win);
    MPI_Get(in, n, MPI_DOUBLE, right, 0, n, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
  } else if (way == 1) {
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, size > 2 ? 2 : 1, (int[]){left, right}, &neighbors);
    MPI_Win_post(neighbors, 0, win);
    MPI_Win_start(neighbors, 0, win);
    MPI_Put(out, n, MPI_DOUBLE, right, 0, n, MPI_DOUBLE, win);
    dawdle();
    MPI_Win_complete(win);
    for (int flag = 0; n % 2 && !flag;) MPI_Win_test(win, &flag);
    if (n % 2 == 0) MPI_Win_wait(win);
    MPI_Group_free(&neighbors);
    MPI_Group_free(&all);
  } else if (way == 2) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win);
    MPI_Accumulate(out, n, MPI_DOUBLE, right, 0, n, MPI_DOUBLE, MPI_SUM, win);
    dawdle();
    MPI_Win_unlock(right, win);
  } else {
    MPI_Win_lock_all(0, win);
    MPI_Rput(out, n, MPI_DOUBLE, right, 0, n, MPI_DOUBLE, win, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    dawdle();
    MPI_Fetch_and_op(out, in, MPI_DOUBLE, right, SMALL, MPI_SUM, win);
    // Puts to the last process of the window, and to MPI_PROC_NULL.
    MPI_Get_accumulate(NULL, 0, MPI_DOUBLE, in, n, MPI_DOUBLE, left, 2 * SMALL - n, n, MPI_DOUBLE,
                       MPI_NO_OP, win);
    MPI_Put(out, n, MPI_DOUBLE, MPI_PROC_NULL, 3 * SMALL, n, MPI_DOUBLE, win);
    MPI_Win_flush(right, win);
    MPI_Win_unlock_all(win);
  }
  MPI_Win_free(&win);
}

static void files(void) {
  MPI_File file;
  MPI_Datatype view;
  MPI_Request r[2];
  int n = 1 + draw(SMALL), part = (int)sizeof(double) * SMALL * rank;
  int amode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  MPI_File_open(comm, path, amode, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, part, out, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_read_at_all_begin(file, part, in, n, MPI_DOUBLE);
  dawdle();
  MPI_File_iwrite_at(file, part + 8 * SMALL * size, out, n, MPI_DOUBLE, &r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_File_read_at_all_end(file, in, MPI_STATUS_IGNORE);
  MPI_Type_vector(SMALL, 1, size, MPI_DOUBLE, &view);
  MPI_Type_commit(&view);
  MPI_File_set_view(file, (MPI_Offset)sizeof(double) * rank, MPI_DOUBLE, view, "native",
                    MPI_INFO_NULL);
  MPI_Type_free(&view);
  MPI_File_write_all(file, out, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_iread_at(file, 0, in, n, MPI_DOUBLE, &r[0]);
  MPI_File_iread_at(file, 0, in + n, n, MPI_DOUBLE, &r[1]);
  dawdle();
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  MPI_File_close(&file);
}

// The processes have windows of different sizes, with different displacement units.
static void unequal(void) {
  double *memory;
  MPI_Win win;
  int n = 1 + draw(SMALL), unit = 1 + 7 * (right % 2), own = 1 + 7 * (rank % 2);
  MPI_Win_allocate((1 + rank) * SMALL * sizeof *memory, own, MPI_INFO_NULL, comm, &memory, &win);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
  MPI_Accumulate(out, n, MPI_DOUBLE, right, (1 + right) * SMALL * 8 / unit - n * 8 / unit, n,
                 MPI_DOUBLE, MPI_REPLACE, win);
  dawdle();
  MPI_Win_unlock(right, win);
  MPI_Win_free(&win);
}

static void (*const SHARED[])(void) = {windows, unequal, files};

#endif
