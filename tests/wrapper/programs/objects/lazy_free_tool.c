// SPDX-License-Identifier: MIT
// A library between the wrapper and MPI. It frees no object: so MPI accepts a handle that the
// program uses after it was freed, and nothing crashes. It reports each call of the wrapper with
// such a handle, in a line on stderr.
#include "probe.h"

#define MARK "asked about a freed handle: "

enum { MOST = 256 };
static uint64_t freed[MOST];
static int count;

static void free_handle(uint64_t handle) {
  if (count < MOST) freed[count++] = handle;
}

static int is_freed(uint64_t handle) {
  for (int i = 0; i < count; i++)
    if (freed[i] == handle) return 1;
  return 0;
}

// MPI has returned this handle again: it belongs to a new object.
static void give_out(uint64_t handle) {
  for (int i = 0; i < count; i++)
    if (freed[i] == handle) freed[i] = freed[--count];
}

// MPI's inner calls also pass through the wrapper.
static void ask(const char *name, uint64_t handle, void *caller) {
  Dl_info info;
  if (!is_freed(handle) || !dladdr(caller, &info) || !strstr(info.dli_fname, "/libmpipp_")) return;
  fprintf(stderr, MARK "%s\n", name);
}

#define FREES(NAME, TYPE, NULL_HANDLE)                                                             \
  int MPI_##NAME(TYPE *handle) {                                                                   \
    free_handle((uint64_t)KEY(*handle));                                                           \
    *handle = NULL_HANDLE;                                                                         \
    return MPI_SUCCESS;                                                                            \
  }
FREES(Type_free, MPI_Datatype, MPI_DATATYPE_NULL)
FREES(Comm_free, MPI_Comm, MPI_COMM_NULL)
FREES(Group_free, MPI_Group, MPI_GROUP_NULL)
FREES(Win_free, MPI_Win, MPI_WIN_NULL)
FREES(Op_free, MPI_Op, MPI_OP_NULL)
FREES(Info_free, MPI_Info, MPI_INFO_NULL)
FREES(Errhandler_free, MPI_Errhandler, MPI_ERRHANDLER_NULL)
FREES(Request_free, MPI_Request, MPI_REQUEST_NULL)
FREES(File_close, MPI_File, MPI_FILE_NULL)

#define DEFINE(NAME, HANDLE, MADE, ARGUMENTS, ...)                                                 \
  int PMPI_##NAME(__VA_ARGS__) {                                                                   \
    static int (*real)(__VA_ARGS__);                                                               \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "PMPI_" #NAME);                                  \
    ask(#NAME, (uint64_t)KEY(HANDLE), __builtin_return_address(0));                                \
    int code = real ARGUMENTS;                                                                     \
    MADE;                                                                                          \
    return code;                                                                                   \
  }
#define ASK(NAME, HANDLE, ARGUMENTS, ...) DEFINE(NAME, HANDLE, (void)0, ARGUMENTS, __VA_ARGS__)
// For procedures that return a handle, and that the program calls itself.
#define GIVE(NAME, HANDLE, MADE, ARGUMENTS, ...)                                                   \
  DEFINE(NAME, HANDLE, give_out((uint64_t)KEY(MADE)), ARGUMENTS, __VA_ARGS__)                      \
  int MPI_##NAME(__VA_ARGS__) {                                                                    \
    return PMPI_##NAME ARGUMENTS;                                                                  \
  }

ASK(Type_get_envelope, type, (type, a, b, c, d), MPI_Datatype type, int *a, int *b, int *c, int *d)
GIVE(Type_get_contents, type, *f, (type, a, b, c, d, e, f), MPI_Datatype type, int a, int b, int c,
     int *d, MPI_Aint *e, MPI_Datatype *f)
ASK(Type_size_x, type, (type, a), MPI_Datatype type, MPI_Count *a)
ASK(Type_get_extent_x, type, (type, a, b), MPI_Datatype type, MPI_Count *a, MPI_Count *b)
ASK(Type_get_true_extent_x, type, (type, a, b), MPI_Datatype type, MPI_Count *a, MPI_Count *b)
#ifdef MPIPP_HAVE_Type_get_envelope_c
ASK(Type_get_envelope_c, type, (type, a, b, c, d, e), MPI_Datatype type, MPI_Count *a, MPI_Count *b,
    MPI_Count *c, MPI_Count *d, int *e)
ASK(Type_get_contents_c, type, (type, a, b, c, d, e, f, g, h), MPI_Datatype type, MPI_Count a,
    MPI_Count b, MPI_Count c, MPI_Count d, int *e, MPI_Aint *f, MPI_Count *g, MPI_Datatype *h)
ASK(Type_size_c, type, (type, a), MPI_Datatype type, MPI_Count *a)
ASK(Type_get_extent_c, type, (type, a, b), MPI_Datatype type, MPI_Count *a, MPI_Count *b)
ASK(Type_get_true_extent_c, type, (type, a, b), MPI_Datatype type, MPI_Count *a, MPI_Count *b)
#endif
ASK(Type_get_true_extent, type, (type, a, b), MPI_Datatype type, MPI_Aint *a, MPI_Aint *b)
ASK(Type_get_name, type, (type, a, b), MPI_Datatype type, char *a, int *b)
ASK(Type_contiguous, type, (a, type, b), int a, MPI_Datatype type, MPI_Datatype *b)
ASK(Type_commit, *type, (type), MPI_Datatype *type)
ASK(Type_free, *type, (type), MPI_Datatype *type)
ASK(Pack_size, type, (a, type, b, c), int a, MPI_Datatype type, MPI_Comm b, int *c)
GIVE(Comm_get_errhandler, comm, *a, (comm, a), MPI_Comm comm, MPI_Errhandler *a)
ASK(Comm_set_errhandler, comm, (comm, a), MPI_Comm comm, MPI_Errhandler a)
ASK(Comm_call_errhandler, comm, (comm, a), MPI_Comm comm, int a)
GIVE(Comm_group, comm, *a, (comm, a), MPI_Comm comm, MPI_Group *a)
GIVE(Comm_remote_group, comm, *a, (comm, a), MPI_Comm comm, MPI_Group *a)
ASK(Comm_rank, comm, (comm, a), MPI_Comm comm, int *a)
ASK(Comm_size, comm, (comm, a), MPI_Comm comm, int *a)
ASK(Comm_test_inter, comm, (comm, a), MPI_Comm comm, int *a)
ASK(Comm_dup, comm, (comm, a), MPI_Comm comm, MPI_Comm *a)
ASK(Comm_create, comm, (comm, a, b), MPI_Comm comm, MPI_Group a, MPI_Comm *b)
ASK(Comm_free, *comm, (comm), MPI_Comm *comm)
ASK(Topo_test, comm, (comm, a), MPI_Comm comm, int *a)
ASK(Group_size, group, (group, a), MPI_Group group, int *a)
ASK(Group_rank, group, (group, a), MPI_Group group, int *a)
ASK(Group_translate_ranks, group, (group, a, b, c, d), MPI_Group group, int a, const int *b,
    MPI_Group c, int *d)
GIVE(Win_get_group, win, *a, (win, a), MPI_Win win, MPI_Group *a)
ASK(Win_get_attr, win, (win, a, b, c), MPI_Win win, int a, void *b, int *c)
GIVE(Win_get_errhandler, win, *a, (win, a), MPI_Win win, MPI_Errhandler *a)
ASK(Win_call_errhandler, win, (win, a), MPI_Win win, int a)
ASK(Win_shared_query, win, (win, a, b, c, d), MPI_Win win, int a, MPI_Aint *b, int *c, void *d)
GIVE(File_get_errhandler, file, *a, (file, a), MPI_File file, MPI_Errhandler *a)
ASK(File_call_errhandler, file, (file, a), MPI_File file, int a)
ASK(Info_get_nkeys, info, (info, a), MPI_Info info, int *a)
ASK(Info_get_nthkey, info, (info, a, b), MPI_Info info, int a, char *b)
ASK(Request_get_status, request, (request, a, b), MPI_Request request, int *a, MPI_Status *b)
ASK(Test, *request, (request, a, b), MPI_Request *request, int *a, MPI_Status *b)
ASK(Request_free, *request, (request), MPI_Request *request)
GIVE(Group_union, one, *made, (one, two, made), MPI_Group one, MPI_Group two, MPI_Group *made)
GIVE(Group_incl, group, *made, (group, length, ranks, made), MPI_Group group, int length,
     const int *ranks, MPI_Group *made)
GIVE(File_get_view, file, *filetype, (file, disp, etype, filetype, name), MPI_File file,
     MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype, char *name)
