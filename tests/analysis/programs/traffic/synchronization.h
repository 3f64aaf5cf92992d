// SPDX-License-Identifier: MIT
// Windows of each kind with each way to synchronize; files by each kind of pointer.
#ifndef MORE_SHARED_H
#define MORE_SHARED_H
#include "windows_and_files.h"

static void one_sided(MPI_Win win, MPI_Aint at) {
  int n = 1 + draw(SMALL), zero = 0, found;
  MPI_Request r[4];
  MPI_Win_lock_all(0, win);
  MPI_Rput(out, n, MPI_DOUBLE, right, at, n, MPI_DOUBLE, win, &r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Win_flush_local(right, win);
  MPI_Win_flush(right, win);
  MPI_Rget(in, n, MPI_DOUBLE, right, at, n, MPI_DOUBLE, win, &r[0]);
  dawdle();
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Win_flush_all(win);
  MPI_Raccumulate(out, n, MPI_DOUBLE, right, at, n, MPI_DOUBLE, MPI_SUM, win, &r[1]);
  MPI_Rget_accumulate(out, n, MPI_DOUBLE, in + n, n, MPI_DOUBLE, right, at, n, MPI_DOUBLE, MPI_SUM,
                      win, &r[2]);
  MPI_Waitall(2, &r[1], MPI_STATUSES_IGNORE);
  MPI_Win_flush_local_all(win);
  MPI_Win_unlock_all(win);
  MPI_Barrier(comm); // the next operations have another type
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
  MPI_Compare_and_swap(&rank, &zero, &found, MPI_INT, right, at, win);
  MPI_Win_unlock(right, win);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  MPI_Win_sync(win);
  MPI_Win_unlock(rank, win);
}

static void other_windows(void) {
  double *memory = NULL, own[SMALL] = {0};
  MPI_Aint at = 0, there = 0;
  MPI_Comm node;
  MPI_Win win;
  int kind = draw(3);
  if (kind == 0) MPI_Win_create(own, sizeof own, sizeof *own, MPI_INFO_NULL, comm, &win);
  if (kind == 1) {
    MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win);
    MPI_Win_attach(win, own, sizeof own);
    MPI_Get_address(own, &at);
    MPI_Sendrecv(&at, 1, MPI_AINT, left, tag, &there, 1, MPI_AINT, right, tag, comm,
                 MPI_STATUS_IGNORE);
  }
  if (kind == 2) {
    double *others;
    int unit;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Win_allocate_shared(sizeof own, sizeof *own, MPI_INFO_NULL, node, &memory, &win);
    MPI_Comm_free(&node);
    MPI_Win_shared_query(win, MPI_PROC_NULL, &at, &unit, &others);
  }
  one_sided(win, there);
  MPI_Barrier(comm);
  if (kind == 1) MPI_Win_detach(win, own);
  MPI_Win_free(&win);
}

// All processes write at the same file position, each in its turn.
static void pointers(void) {
  MPI_File file;
  MPI_Request r;
  int n = 1 + draw(SMALL), amode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  MPI_File_open(comm, path, amode, MPI_INFO_NULL, &file);
  MPI_File_seek(file, (MPI_Offset)sizeof(double) * SMALL * rank, MPI_SEEK_SET);
  MPI_File_write(file, out, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_iwrite(file, out, n, MPI_DOUBLE, &r);
  dawdle();
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_File_write_at(file, 0, out, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(comm);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_read(file, in, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_read_all(file, in, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_read_at(file, 0, in, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_read_at_all(file, 0, in, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
  // Open MPI reads forever if a nonblocking read would pass the end of the file.
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_iread(file, in, n, MPI_DOUBLE, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_iread_all(file, in, n, MPI_DOUBLE, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_File_iread_at_all(file, 0, in, n, MPI_DOUBLE, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_File_set_atomicity(file, 1);
  MPI_File_iwrite_all(file, out, n, MPI_DOUBLE, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_File_iwrite_at_all(file, (MPI_Offset)sizeof(double) * SMALL * rank, out, n, MPI_DOUBLE, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_File_read_all_begin(file, in, n, MPI_DOUBLE);
  MPI_File_read_all_end(file, in, MPI_STATUS_IGNORE);
  MPI_File_write_all_begin(file, out, n, MPI_DOUBLE);
  MPI_File_write_all_end(file, out, MPI_STATUS_IGNORE);
  MPI_File_write_at_all_begin(file, (MPI_Offset)sizeof(double) * SMALL * rank, out, n, MPI_DOUBLE);
  MPI_File_write_at_all_end(file, out, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

// Shared file pointer: the processes access the file in any order, or in turn.
static void shared_pointers(void) {
  MPI_File file;
  MPI_Request r;
  MPI_Datatype etype, filetype;
  MPI_Offset from;
  MPI_Group all;
  char name[MPI_MAX_DATAREP_STRING];
  int n = 1 + draw(SMALL), amode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  MPI_File_open(comm, path, amode, MPI_INFO_NULL, &file);
  MPI_File_set_size(file, 0);
  MPI_File_preallocate(file, 100000);
  MPI_File_get_view(file, &from, &etype, &filetype, name);
  MPI_File_get_group(file, &all);
  MPI_Group_free(&all);
  MPI_File_write_ordered(file, out, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_write_ordered_begin(file, out, n + rank, MPI_DOUBLE);
  dawdle();
  MPI_File_write_ordered_end(file, out, MPI_STATUS_IGNORE);
  MPI_File_write_shared(file, out, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_iwrite_shared(file, out, n, MPI_DOUBLE, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Barrier(comm);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_shared(file, in, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_iread_shared(file, in, n, MPI_DOUBLE, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Barrier(comm);
  MPI_File_read_ordered(file, in, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_read_ordered_begin(file, in, n, MPI_DOUBLE);
  MPI_File_read_ordered_end(file, in, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

static void (*const MORE_SHARED[])(void) = {other_windows, pointers, shared_pointers};

#endif
