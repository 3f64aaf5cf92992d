// SPDX-License-Identifier: MIT
// A process that spawns another process; the test checks both.
#include "probe.h"

static MPI_Comm parent, children;
static MPI_Datatype mine;

int main(int argc, char **argv) {
  int value = 42;
  (void)argc;
  MPI_Init(NULL, NULL);
  MPI_Comm_get_parent(&parent);
  SAY(parent);
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children,
                   MPI_ERRCODES_IGNORE);
    MPI_Type_contiguous(1, MPI_INT, &mine);
    SAY(children), SAY(mine);
    look("parent");
    MPI_Recv(&value, 1, MPI_INT, 0, 1, children, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&children);
  } else {
    MPI_Type_contiguous(2, MPI_INT, &mine);
    SAY(mine);
    look("child");
    MPI_Send(&value, 1, MPI_INT, 0, 1, parent);
    MPI_Comm former = parent, world = MPI_COMM_WORLD, copy;
    MPI_Comm_disconnect(&parent);
    SAY(former), SAY(world);
    look("parted");
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    SAY(copy);
    say("again", copy == former);
    look("alone");
  }
  MPI_Finalize();
  return 0;
}
