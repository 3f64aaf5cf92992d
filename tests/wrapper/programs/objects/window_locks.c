// SPDX-License-Identifier: MIT
// Locks of one window for more ranks than the wrapper records.
#include "probe.h"

int main(void) {
  int memory = 0;
  MPI_Win win;
  MPI_Init(NULL, NULL);
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
  SAY(win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  for (int i = 0; i < 9; i++) MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, win);
  look("ten");
  MPI_Win_unlock(0, win);
  look("nine");
  for (int i = 0; i < 9; i++) MPI_Win_unlock(MPI_PROC_NULL, win);
  look("none");
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
