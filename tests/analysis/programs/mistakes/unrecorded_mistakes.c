// SPDX-License-Identifier: MIT
// Like mistakes.c, for procedures that are not recorded except their handles, and for file
// views.
#include <mpi.h>
#include <stdio.h>

#include "call_sink.h"

static int numbers[4], flag;
static char text[MPI_MAX_OBJECT_NAME];
static MPI_Comm comm = MPI_COMM_WORLD;
static MPI_Group all, group;
static MPI_Datatype type;
static MPI_Win win;
static void *memory;

// The objects that define a file's view.
static void views(const char *program) {
  MPI_File file;
  MPI_Datatype pair, gone;
  char name[4096];
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  snprintf(name, sizeof name, "%s.view", program);
  MPI_File_open(MPI_COMM_SELF, name, mode, MPI_INFO_NULL, &file);
  RIGHT(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  WRONG("null-datatype: etype is MPI_DATATYPE_NULL",
        MPI_File_set_view(file, 0, MPI_DATATYPE_NULL, MPI_INT, "native", MPI_INFO_NULL));
  MPI_Type_contiguous(2, MPI_INT, &pair);
  WRONG("uncommitted-datatype: filetype is not committed",
        MPI_File_set_view(file, 0, MPI_INT, pair, "native", MPI_INFO_NULL));
  MPI_Type_commit(&pair);
  RIGHT(MPI_File_set_view(file, 0, pair, pair, "native", MPI_INFO_NULL));
  gone = pair;
  MPI_Type_free(&pair);
  WRONG("freed-datatype: filetype was freed",
        MPI_File_set_view(file, 0, MPI_INT, gone, "native", MPI_INFO_NULL));
  MPI_File_close(&file);
}

// For these calls, the wrapper records only the handles.
static void marked(void) {
  MPI_Comm copy, gone;
  MPI_Datatype gone_type;
  MPI_Info info, gone_info;
  MPI_Group gone_group;
  MPI_Aint extent;
  MPI_Status status;
  WRONG("null-handle: comm is MPI_COMM_NULL, but a communicator is needed",
        MPI_Comm_rank(MPI_COMM_NULL, &flag));
  WRONG("null-handle: comm2 is MPI_COMM_NULL, but a communicator is needed",
        MPI_Comm_compare(comm, MPI_COMM_NULL, &flag));
  RIGHT(MPI_Comm_compare(comm, MPI_COMM_SELF, &flag));
  RIGHT(MPI_Comm_get_name(MPI_COMM_NULL, text, &flag));
  MPI_Comm_dup(comm, &copy);
  RIGHT(MPI_Comm_rank(copy, &flag));
  gone = copy;
  MPI_Comm_free(&copy);
  WRONG("freed-handle: comm is the handle of a communicator that was freed",
        MPI_Comm_get_attr(gone, MPI_TAG_UB, &memory, &flag));
  WRONG("freed-handle: comm is the handle of a communicator that was freed",
        MPI_Comm_get_name(gone, text, &flag));
  WRONG("null-handle: group is MPI_GROUP_NULL, but a group is needed",
        MPI_Group_size(MPI_GROUP_NULL, &flag));
  MPI_Group_excl(all, 0, NULL, &group);
  RIGHT(MPI_Group_translate_ranks(MPI_GROUP_EMPTY, 0, NULL, group, NULL));
  MPI_Group_free(&group);
  MPI_Group_incl(all, 1, numbers, &gone_group);
  group = gone_group;
  MPI_Group_free(&group);
  WRONG("freed-handle: group2 is the handle of a group that was freed",
        MPI_Group_translate_ranks(all, 0, NULL, gone_group, NULL));
  WRONG("null-handle: datatype is MPI_DATATYPE_NULL, but a datatype is needed",
        MPI_Type_size(MPI_DATATYPE_NULL, &flag));
  MPI_Type_contiguous(3, MPI_INT, &type);
  RIGHT(MPI_Type_size(type, &flag)); // an uncommitted datatype is allowed here
  gone_type = type;
  MPI_Type_free(&type);
  WRONG("freed-handle: datatype is the handle of a datatype that was freed",
        MPI_Get_count(&status, gone_type, &flag));
  WRONG("null-handle: op is MPI_OP_NULL, but an operation is needed",
        MPI_Op_commutative(MPI_OP_NULL, &flag));
  WRONG("null-handle: fh is MPI_FILE_NULL, but a file is needed",
        MPI_File_seek(MPI_FILE_NULL, 0, MPI_SEEK_SET));
  WRONG("null-handle: fh is MPI_FILE_NULL, but a file is needed",
        MPI_File_get_type_extent(MPI_FILE_NULL, MPI_INT, &extent));
  RIGHT(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  WRONG("null-handle: errhandler is MPI_ERRHANDLER_NULL, but an error handler is needed",
        MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRHANDLER_NULL));
  MPI_Errhandler handler;
  RIGHT(MPI_File_get_errhandler(MPI_FILE_NULL, &handler));
  WRONG("null-handle: comm is MPI_COMM_NULL, but a communicator is needed",
        MPI_Comm_set_errhandler(MPI_COMM_NULL, MPI_ERRORS_RETURN));
  WRONG("null-handle: win is MPI_WIN_NULL, but a window is needed",
        MPI_Win_get_errhandler(MPI_WIN_NULL, &handler));
  WRONG("null-handle: win is MPI_WIN_NULL, but a window is needed",
        MPI_Win_set_errhandler(MPI_WIN_NULL, MPI_ERRORS_RETURN));
  WRONG("null-handle: win is MPI_WIN_NULL, but a window is needed",
        MPI_Win_get_attr(MPI_WIN_NULL, MPI_WIN_BASE, &memory, &flag));
  RIGHT(MPI_Win_get_attr(win, MPI_WIN_BASE, &memory, &flag));
  WRONG("null-handle: info is MPI_INFO_NULL, but an info is needed",
        MPI_Info_get_nkeys(MPI_INFO_NULL, &flag));
  RIGHT(MPI_Alloc_mem(8, MPI_INFO_NULL, &memory));
  MPI_Info_create(&info);
  gone_info = info;
  MPI_Info_free(&info);
  WRONG("freed-handle: info is the handle of an info that was freed",
        MPI_Alloc_mem(8, gone_info, &memory));
  WRONG("null-handle: request is MPI_REQUEST_NULL, but a request is needed",
        MPI_Grequest_complete(MPI_REQUEST_NULL));
}

int main(int argc, char **argv) {
  if (!find_next()) return 64;
  MPI_Init(&argc, &argv);
  MPI_Comm_group(comm, &all);
  MPI_Win_allocate(64, 8, MPI_INFO_NULL, comm, &memory, &win);
  marked();
  views(argv[0]);
  MPI_Group_free(&all);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
