// SPDX-License-Identifier: MIT
// Runs the calls that null_pointers.py writes, each in a child of one MPI process, and prints the
// outcome: "MPI_Wait request: class 19", "MPI_Wait status: signal 11".
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpipp_have.h"

enum { ROOM = 64 };

struct one {
  const char *name;
  int (*call)(void);
};

// Valid objects that arguments point to. Every child has its own copy.
static int ones[ROOM], zeros[ROOM];
static MPI_Aint aint_ones[ROOM], aint_zeros[ROOM];
static MPI_Count count_ones[ROOM], count_zeros[ROOM];
static MPI_Offset offset;
static int triples[1][3] = {{0, 0, 1}};
static char memory[1 << 14], text[MPI_MAX_PORT_NAME + MPI_MAX_LIBRARY_VERSION_STRING];
static void *address = memory;
static char *words[] = {text, NULL}, **lists[] = {words, NULL};
static MPI_Status status[4];
static MPI_Comm comm, cart, graph, neighbors, parent;
static MPI_Datatype type, types[4];
static MPI_Group group;
static MPI_Win win;
static MPI_File file;
static MPI_Info info, infos[4];
static MPI_Op op;
static MPI_Errhandler errhandler;
static MPI_Message message;
static MPI_Request request, requests[4];
static MPI_Comm null_COMMUNICATOR;
static MPI_Datatype null_DATATYPE[4];
static MPI_Group null_GROUP;
static MPI_Win null_WINDOW;
static MPI_File null_FILE;
static MPI_Info null_INFO[4];
static MPI_Op null_OPERATION;
static MPI_Errhandler null_ERRHANDLER;
static MPI_Request null_REQUEST[4];
static MPI_Message null_MESSAGE;
static int comm_keyval, type_keyval, win_keyval;
#ifdef MPIPP_HAVE_Session_init
static MPI_Session session, null_SESSION;
#endif

static void nothing(void) {}

static void nulls(void) {
  null_COMMUNICATOR = MPI_COMM_NULL, null_GROUP = MPI_GROUP_NULL, null_WINDOW = MPI_WIN_NULL;
  null_FILE = MPI_FILE_NULL, null_OPERATION = MPI_OP_NULL, null_ERRHANDLER = MPI_ERRHANDLER_NULL;
  null_MESSAGE = MPI_MESSAGE_NULL;
  for (int i = 0; i < 4; i++) {
    null_DATATYPE[i] = MPI_DATATYPE_NULL;
    null_INFO[i] = MPI_INFO_NULL;
    null_REQUEST[i] = MPI_REQUEST_NULL;
  }
#ifdef MPIPP_HAVE_Session_init
  null_SESSION = MPI_SESSION_NULL;
#endif
}

static void objects(void) {
  nulls();
  message = MPI_MESSAGE_NO_PROC;
  for (int i = 0; i < ROOM; i++) ones[i] = 1, aint_ones[i] = 1, count_ones[i] = 1;
  for (int i = 0; i < 4; i++) types[i] = MPI_INT, infos[i] = MPI_INFO_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Cart_create(MPI_COMM_SELF, 1, ones, ones, 0, &cart);
  MPI_Graph_create(MPI_COMM_SELF, 1, ones, zeros, 0, &graph);
  MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, zeros, ones, 1, zeros, ones, MPI_INFO_NULL, 0,
                                 &neighbors);
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Comm_group(MPI_COMM_SELF, &group);
  MPI_Group_incl(group, 1, zeros, &group);
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  MPI_Op_create((MPI_User_function *)nothing, 1, &op);
  MPI_Comm_create_errhandler((MPI_Comm_errhandler_function *)nothing, &errhandler);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &comm_keyval, NULL);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_keyval, NULL);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &win_keyval, NULL);
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_File_open(MPI_COMM_SELF, text, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
  MPI_File_write(file, memory, sizeof memory, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_Recv_init(memory, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF, &request);
  for (int i = 0; i < 4; i++)
    MPI_Recv_init(memory, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_SELF, &requests[i]);
  MPI_Startall(2, requests);
#ifdef MPIPP_HAVE_Session_init
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
#endif
}

static int child(const struct one *one, long limit) {
  int class = 0;
  struct itimerval end = {{0, 0},
                          {limit / 1000, limit % 1000 * 1000}}; // of one that would never end
  for (int i = 1; i < 32; i++) signal(i, SIG_DFL);
  setitimer(ITIMER_REAL, &end, NULL);
  int code = one->call();
  if (MPI_Error_class(code, &class)) class = -1;
  return class;
}

static void run(const struct one *one, long limit, int *class) {
  *class = -2;
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    *class = child(one, limit);
    _exit(0);
  }
  int how = 0;
  waitpid(pid, &how, 0);
  if (WIFSIGNALED(how))
    printf("%s: signal %d\n", one->name, WTERMSIG(how));
  else if (*class == -2)
    printf("%s: exit %d\n", one->name, WEXITSTATUS(how));
  else
    printf("%s: class %d\n", one->name, *class);
}

// argv: a file to make, milliseconds that each call may take, names of the cases (none: all).
static int run_all(int argc, char **argv, const struct one *cases, size_t count) {
  struct rlimit none = {0, 0};
  if (argc < 3) return 2;
  setrlimit(RLIMIT_CORE, &none);
  snprintf(text, sizeof text, "%s", argv[1]);
  long limit = strtol(argv[2], NULL, 0);
  int *class = mmap(NULL, sizeof *class, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  MPI_Init(NULL, NULL);
  objects();
  for (size_t i = 0; i < count; i++) {
    int wanted = argc == 3;
    for (int k = 3; k < argc; k++) wanted |= strcmp(cases[i].name, argv[k]) == 0;
    if (wanted) run(&cases[i], limit, class);
  }
  printf("all\n");
  fflush(stdout);
  _exit(0);
}
