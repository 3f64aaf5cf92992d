// SPDX-License-Identifier: MIT
// Cases of wrong_epochs.c: the buffers, targets and datatypes of operations.

static void __attribute__((noinline)) puts_its_own(int flush) {
  int own[4] = {1, 2, 3, 4};
  MPI_Put(own, 4, MPI_INT, 1, 4, 4, MPI_INT, win);
  if (flush) MPI_Win_flush_local(1, win);
}

static void gone_buffer(int right) {
  if (rank) return;
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  puts_its_own(right);
  MPI_Win_unlock(1, win);
}

static MPI_Request __attribute__((noinline)) begins_to_put_its_own(int wait) {
  int own[4] = {1, 2, 3, 4};
  MPI_Request request;
  MPI_Rput(own, 4, MPI_INT, 1, 4, 4, MPI_INT, win, &request);
  if (wait) MPI_Wait(&request, MPI_STATUS_IGNORE);
  return request;
}

static void gone_before_the_wait(int right) {
  if (rank) return;
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  MPI_Request request = begins_to_put_its_own(right);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock(1, win);
}

static void put_on_itself(int right) {
  if (rank) return;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Put(memory, 2, MPI_INT, 0, right ? 2 : 1, 2, MPI_INT, win);
  MPI_Win_unlock(0, win);
}

static void result_on_the_origin(int right) {
  if (rank) return;
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  MPI_Get_accumulate(other, 1, MPI_INT, &other[right], 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_unlock(1, win);
}

static void two_of_one_buffer(int right) {
  if (rank) return;
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  MPI_Get(&other[0], 1, MPI_INT, 1, 8, 1, MPI_INT, win);
  MPI_Get(&other[right], 1, MPI_INT, 1, 9, 1, MPI_INT, win);
  MPI_Win_unlock(1, win);
}

static void outside_of_the_window(int right) {
  if (rank) return;
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  put(right ? N - 1 : N);
  MPI_Win_unlock(1, win);
}

static void negative_displacement(int right) {
  MPI_Win_fence(0, win);
  if (rank == 0) put(right ? 0 : -1);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void not_committed(int right) {
  MPI_Datatype pair;
  if (rank) return;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  if (right) MPI_Type_commit(&pair);
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  MPI_Get(other, 2, MPI_INT, 1, 2, 1, pair, win);
  MPI_Win_unlock(1, win);
  MPI_Type_free(&pair);
}
