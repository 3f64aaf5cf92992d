// SPDX-License-Identifier: MIT
// Collective calls that disagree and that MPI libraries would not survive, on three processes: with
// --strict and --on-error handler none of them begins. The output has, for each row, the class that
// each process's error handler got once and its call returned. It has all rows, or those that the
// arguments name after a file.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *path;
static int rank, differs, calls, given; // calls of the error handler, and their code
static MPI_Comm comm;
static MPI_Win win;
static MPI_File file;
static MPI_Info info;
static MPI_Comm parts[2]; // objects that a row makes
static int memory[8];

#define ROW(NAME) static int NAME(void)

static void told(int *code) {
  calls++;
  given = *code;
}
static void told_of_comm(MPI_Comm *of, int *code, ...) {
  (void)of;
  told(code);
}
static void told_of_win(MPI_Win *of, int *code, ...) {
  (void)of;
  told(code);
}
static void told_of_file(MPI_File *of, int *code, ...) {
  (void)of;
  told(code);
}

ROW(comm_dup) {
  MPI_Comm made;
  return differs ? MPI_Barrier(comm) : MPI_Comm_dup(comm, &made);
}
ROW(comm_free) {
  MPI_Comm freed = comm;
  return differs ? MPI_Barrier(comm) : MPI_Comm_free(&freed);
}
ROW(comm_disconnect) {
  MPI_Comm freed = comm;
  return differs ? MPI_Barrier(comm) : MPI_Comm_disconnect(&freed);
}
ROW(comm_split) {
  MPI_Comm made;
  return differs ? MPI_Comm_dup(comm, &made) : MPI_Comm_split(comm, 0, 0, &made);
}
ROW(comm_split_type) {
  MPI_Comm made;
  int type = MPI_COMM_TYPE_SHARED + differs;
  return MPI_Comm_split_type(comm, type, 0, MPI_INFO_NULL, &made);
}
ROW(comm_create) {
  MPI_Comm made;
  MPI_Group all, given_group;
  int ranks[2] = {differs, !differs};
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, 2, ranks, &given_group);
  MPI_Group_free(&all);
  int code = MPI_Comm_create(comm, given_group, &made);
  MPI_Group_free(&given_group);
  return code;
}
ROW(comm_set_info) {
  return differs ? MPI_Barrier(comm) : MPI_Comm_set_info(comm, info);
}
ROW(cart_sub) {
  MPI_Comm made, *grid = &parts[0];
  int dims[2] = {3, 1}, periods[2] = {0}, kept[2] = {1, 0};
  MPI_Cart_create(comm, 2, dims, periods, 0, grid);
  return differs ? MPI_Barrier(*grid) : MPI_Cart_sub(*grid, kept, &made);
}
ROW(dist_graph) {
  MPI_Comm made;
  int degree = 1, other = (rank + 1) % 3, last = (rank + 2) % 3;
  if (differs)
    return MPI_Dist_graph_create_adjacent(comm, 1, &last, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED,
                                          MPI_INFO_NULL, 0, &made);
  return MPI_Dist_graph_create(comm, 1, &rank, &degree, &other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                               &made);
}
ROW(intercomm_leader) {
  MPI_Comm made;
  return MPI_Intercomm_create(comm, differs, MPI_COMM_WORLD, 0, 5, &made);
}
ROW(merge_high) {
  MPI_Comm made, *part = &parts[0], *inter = &parts[1];
  MPI_Comm_split(comm, rank == 0, rank, part);
  MPI_Intercomm_create(*part, 0, comm, rank == 0, 5, inter);
  return MPI_Intercomm_merge(*inter, differs, &made);
}
ROW(spawn_root) {
  MPI_Comm made;
  return MPI_Comm_spawn("/none", MPI_ARGV_NULL, 1, MPI_INFO_NULL, differs, comm, &made,
                        MPI_ERRCODES_IGNORE);
}
ROW(spawn_multiple_root) {
  MPI_Comm made;
  char none[] = "/none", *commands[1] = {none};
  int counts[1] = {1};
  MPI_Info infos[1] = {MPI_INFO_NULL};
  return MPI_Comm_spawn_multiple(1, commands, MPI_ARGVS_NULL, counts, infos, differs, comm, &made,
                                 MPI_ERRCODES_IGNORE);
}
ROW(accept_root) {
  MPI_Comm made;
  return MPI_Comm_accept("none", MPI_INFO_NULL, differs, comm, &made);
}
ROW(connect_root) {
  MPI_Comm made;
  return MPI_Comm_connect("none", MPI_INFO_NULL, differs, comm, &made);
}

ROW(win_create) {
  MPI_Win made;
  if (differs) return MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &made);
  return MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, comm, &made);
}
ROW(win_create_dynamic) {
  MPI_Win made;
  return differs ? MPI_Barrier(comm) : MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &made);
}
ROW(win_allocate) {
  MPI_Win made;
  void *base;
  if (differs) return MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, comm, &made);
  return MPI_Win_allocate(8, 1, MPI_INFO_NULL, comm, &base, &made);
}
ROW(win_allocate_shared) {
  MPI_Win made;
  void *base;
  if (differs) return MPI_Win_allocate(8, 1, MPI_INFO_NULL, comm, &base, &made);
  return MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, comm, &base, &made);
}
ROW(win_set_info) {
  return differs ? MPI_Win_fence(0, win) : MPI_Win_set_info(win, info);
}
ROW(win_fence) {
  return MPI_Win_fence(differs ? MPI_MODE_NOSUCCEED : 0, win);
}
ROW(win_free) {
  MPI_Win freed = win;
  return differs ? MPI_Win_fence(0, win) : MPI_Win_free(&freed);
}

ROW(open_amode) {
  MPI_File made;
  int amode = MPI_MODE_CREATE | MPI_MODE_RDWR | (differs ? MPI_MODE_UNIQUE_OPEN : 0);
  return MPI_File_open(comm, path, amode, MPI_INFO_NULL, &made);
}
ROW(file_close) {
  MPI_File freed = file;
  return differs ? MPI_File_sync(file) : MPI_File_close(&freed);
}
ROW(file_set_info) {
  return differs ? MPI_File_sync(file) : MPI_File_set_info(file, info);
}
ROW(file_sync) {
  return differs ? MPI_File_set_size(file, 0) : MPI_File_sync(file);
}
ROW(file_seek) {
  return MPI_File_seek_shared(file, 0, differs ? MPI_SEEK_END : MPI_SEEK_SET);
}
ROW(file_write_all) {
  if (differs) return MPI_File_sync(file);
  return MPI_File_write_all(file, memory, 1, MPI_INT, MPI_STATUS_IGNORE);
}
ROW(file_write_at_all) {
  if (differs) return MPI_File_write_all(file, memory, 1, MPI_INT, MPI_STATUS_IGNORE);
  return MPI_File_write_at_all(file, 0, memory, 1, MPI_INT, MPI_STATUS_IGNORE);
}
ROW(file_write_ordered) {
  if (differs) return MPI_File_write_all(file, memory, 1, MPI_INT, MPI_STATUS_IGNORE);
  return MPI_File_write_ordered(file, memory, 1, MPI_INT, MPI_STATUS_IGNORE);
}

#define ENTRY(NAME)                                                                                \
  { #NAME, NAME }
static const struct {
  const char *name;
  int (*run)(void);
} rows[] = {
    ENTRY(comm_dup),
    ENTRY(comm_free),
    ENTRY(comm_disconnect),
    ENTRY(comm_split),
    ENTRY(comm_split_type),
    ENTRY(comm_create),
    ENTRY(comm_set_info),
    ENTRY(cart_sub),
    ENTRY(intercomm_leader),
    ENTRY(dist_graph),
    ENTRY(merge_high),
    ENTRY(spawn_root),
    ENTRY(spawn_multiple_root),
    ENTRY(accept_root),
    ENTRY(connect_root),
    ENTRY(win_create),
    ENTRY(win_create_dynamic),
    ENTRY(win_allocate),
    ENTRY(win_allocate_shared),
    ENTRY(win_set_info),
    ENTRY(win_fence),
    ENTRY(win_free),
    ENTRY(open_amode),
    ENTRY(file_close),
    ENTRY(file_set_info),
    ENTRY(file_sync),
    ENTRY(file_seek),
    ENTRY(file_write_all),
    ENTRY(file_write_at_all),
    ENTRY(file_write_ordered),
};

static const char *outcome(int code) {
  int class;
  if (calls == 0 && code != MPI_SUCCESS) return "not called";
  if (calls != 1 || given != code) return "not told";
  MPI_Error_class(code, &class);
  if (class == MPI_ERR_ROOT) return "root";
  if (class == MPI_ERR_ARG) return "arg";
  return class == MPI_ERR_OTHER ? "other" : "another class";
}

// The first process prints the results of all processes in one line.
static void tell(const char *what, int code) {
  char own[16] = "", all[3][16];
  strncpy(own, outcome(code), sizeof own - 1);
  MPI_Gather(own, sizeof own, MPI_CHAR, all, sizeof own, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s: %s, %s, %s\n", what, all[0], all[1], all[2]);
  fflush(stdout);
}

int main(int argc, char **argv) {
  MPI_Errhandler of_comm, of_win, of_file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  path = argv[1];
  differs = rank == 1;
  MPI_Comm_create_errhandler(told_of_comm, &of_comm);
  MPI_Win_create_errhandler(told_of_win, &of_win);
  MPI_File_create_errhandler(told_of_file, &of_file);
  MPI_Info_create(&info);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, of_comm); // communicators made from it inherit the error handler
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, comm, &win);
  MPI_Win_set_errhandler(win, of_win);
  MPI_File_set_errhandler(MPI_FILE_NULL, of_file); // for files that are opened
  MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int wanted = argc < 3;
    for (int a = 2; a < argc; a++) wanted |= strcmp(argv[a], rows[i].name) == 0;
    if (!wanted) continue;
    calls = 0;
    for (int k = 0; k < 2; k++) parts[k] = MPI_COMM_NULL;
    tell(rows[i].name, rows[i].run());
    for (int k = 0; k < 2; k++) {
      if (parts[k] != MPI_COMM_NULL) MPI_Comm_free(&parts[k]);
    }
  }
  MPI_File_close(&file);
  MPI_Win_free(&win);
  MPI_Comm_free(&comm);
  MPI_Info_free(&info);
  MPI_Errhandler_free(&of_comm); // MPICH crashes if it belongs to MPI_FILE_NULL
  MPI_Errhandler_free(&of_win);
  MPI_Finalize();
  return 0;
}
