// SPDX-License-Identifier: MIT
// Cases of wrong_epochs.c: assertions that are not true.

static void nothing_precedes(int right) {
  MPI_Win_fence(0, win);
  if (rank == 0) put(1);
  MPI_Win_fence(right ? 0 : MPI_MODE_NOPRECEDE, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void some_say_that_nothing_precedes(int right) {
  MPI_Win_fence(right || rank == 0 ? MPI_MODE_NOPRECEDE | MPI_MODE_NOSTORE : 0, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void some_say_that_nothing_succeeds(int right) {
  MPI_Win_fence(0, win);
  MPI_Win_fence(right || rank == 0 ? MPI_MODE_NOSUCCEED : 0, win);
}

static void nothing_succeeds(int right) {
  MPI_Win_fence(right ? 0 : MPI_MODE_NOSUCCEED, win);
  if (rank == 0) put(1);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void no_put_in_fence(int right) {
  MPI_Win_fence(right ? 0 : MPI_MODE_NOPUT, win);
  if (rank == 0) put(2);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void no_put_in_post(int right) {
  if (rank == 0) {
    opens(1, 0);
    put(2);
    MPI_Win_complete(win);
  } else {
    opens(0, right ? 0 : MPI_MODE_NOPUT);
    MPI_Win_wait(win);
  }
}

static void no_check_alone(int right) {
  if (rank == 1) opens(0, right ? MPI_MODE_NOCHECK : 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    opens(1, MPI_MODE_NOCHECK);
    put(2);
    MPI_Win_complete(win);
  } else {
    MPI_Win_wait(win);
  }
}

// It is uncertain whether these calls order the two processes, and no other calls do.
static void meet_unseen(void) {
  MPI_Group group;
  MPI_Comm made;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &made);
  MPI_Group_free(&group);
  MPI_Comm_free(&made);
}

static void no_check_too_early(int right) {
  if (rank) opens(0, MPI_MODE_NOCHECK);
  if (right)
    MPI_Barrier(MPI_COMM_WORLD);
  else
    meet_unseen();
  if (rank == 0) opens(1, MPI_MODE_NOCHECK);
  if (rank == 0) put(1);
  if (rank == 0) MPI_Win_complete(win);
  if (rank) MPI_Win_wait(win);
}

static void no_check_of_locks(int right) {
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, right ? 0 : MPI_MODE_NOCHECK, win);
    put(3);
    MPI_Win_unlock(1, win);
  } else {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, right ? 0 : MPI_MODE_NOCHECK, win);
    put(3);
    MPI_Win_unlock(1, win);
  }
}
