// SPDX-License-Identifier: MIT
// Wrong synchronization, in the named cases: MPI rejects it, continues, or waits forever. Each case
// has its own window. With "fatal", MPI ends the process. Without a name, the program runs all
// cases in corrected form. Two processes; rank 0 makes the error.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { N = 16 };
static int rank, *memory, value = 1, other[2];
static MPI_Win win;

static void put(int at) {
  MPI_Put(&value, 1, MPI_INT, 1, at, 1, MPI_INT, win);
}

// The group of all processes, or of one process.
static MPI_Group group_of(int one) {
  MPI_Group all, found;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &one, &found);
  MPI_Group_free(&all);
  return found;
}

static void opens(int start, int assertion) {
  MPI_Group group = group_of(1 - rank);
  if (start)
    MPI_Win_start(group, assertion, win);
  else
    MPI_Win_post(group, assertion, win);
  MPI_Group_free(&group);
}

static void outside_of_an_epoch(int right) {
  if (rank == 0 && right) MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  if (rank == 0) put(0);
  if (rank == 0 && right) MPI_Win_unlock(1, win);
}

static void outside_with_a_request(int right) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0 && right) MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  if (rank == 0) MPI_Rput(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &request);
  if (rank == 0 && right) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(1, win);
  }
}

static void puts_with_a_request(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Rput(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &request);
  if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void request_in_fence(int right) {
  MPI_Win_fence(0, win);
  if (rank == 0 && right) put(0);
  if (rank == 0 && !right) puts_with_a_request();
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void request_in_start(int right) {
  opens(rank == 0, 0);
  if (rank == 0 && right) put(0);
  if (rank == 0 && !right) puts_with_a_request();
  if (rank == 0)
    MPI_Win_complete(win);
  else
    MPI_Win_wait(win);
}

static void freed_request(int right) {
  MPI_Request request;
  if (rank) return;
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  MPI_Rput(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &request);
  if (right)
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  else
    MPI_Request_free(&request);
  MPI_Win_unlock(1, win);
}

static void other_target(int right) {
  if (rank) return;
  MPI_Win_lock(MPI_LOCK_SHARED, right ? 1 : 0, 0, win);
  put(0);
  MPI_Win_unlock(right ? 1 : 0, win);
}

static void lock_in_fence(int right) {
  MPI_Win_fence(0, win);
  if (rank == 0) put(0);
  if (right) MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  if (rank == 0) MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  if (rank == 0) MPI_Win_unlock(1, win);
  if (!right) MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void lock_all_in_lock(int right) {
  if (rank) return;
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  if (right) MPI_Win_unlock(1, win);
  MPI_Win_lock_all(0, win);
  MPI_Win_unlock_all(win);
  if (!right) MPI_Win_unlock(1, win);
}

static void fence_in_lock_all(int right) {
  MPI_Win_lock_all(0, win);
  if (right) MPI_Win_unlock_all(win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  if (!right) MPI_Win_unlock_all(win);
}

static void start_in_lock(int right) {
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    if (right) MPI_Win_unlock(1, win);
    if (right) MPI_Barrier(MPI_COMM_WORLD); // before the other process exposes the memory
    opens(1, 0);
    MPI_Win_complete(win);
    if (!right) MPI_Win_unlock(1, win);
  } else if (right) {
    MPI_Barrier(MPI_COMM_WORLD);
    opens(0, 0);
    MPI_Win_wait(win);
  }
}

// The access epoch is for an empty group, so no process has to post.
static void start_in_fence(int right) {
  MPI_Win_fence(0, win);
  if (rank == 0) put(0);
  if (right) MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  if (rank == 0) MPI_Win_start(MPI_GROUP_EMPTY, 0, win);
  if (rank == 0) MPI_Win_complete(win);
  if (!right) MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

// Rank 0 exposes its memory to itself, as MPI allows, but rank 1 puts there between the fences.
static void posted_in_fence(int right) {
  MPI_Group itself = group_of(0);
  MPI_Win_fence(0, win);
  if (rank) MPI_Put(&value, 1, MPI_INT, 0, 5, 1, MPI_INT, win);
  if (right) MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  if (rank == 0 && MPI_Win_post(itself, 0, win) == MPI_SUCCESS &&
      MPI_Win_start(itself, 0, win) == MPI_SUCCESS) {
    MPI_Win_complete(win);
    MPI_Win_wait(win);
  }
  if (!right) MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Group_free(&itself);
}

static void posted_twice(int right) {
  if (rank == 0) {
    opens(0, 0);
    if (!right) opens(0, 0);
    MPI_Win_wait(win);
  } else {
    opens(1, 0);
    MPI_Win_complete(win);
  }
}

static void locked_twice(int right) {
  if (rank) return;
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  if (right) MPI_Win_unlock(1, win);
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  put(0);
  MPI_Win_unlock(1, win);
}

static void posts_to_nobody(void) {
  MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
}

// An info that says whether the window, or its successor, is locked.
static MPI_Info locks(int any) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", any ? "false" : "true");
  return info;
}

static void locked_without_locks(int right) {
  MPI_Win not_locked;
  MPI_Info info = locks(0);
  MPI_Win_create(other, sizeof other, sizeof *other, info, MPI_COMM_WORLD, &not_locked);
  MPI_Info_free(&info);
  MPI_Win_set_errhandler(not_locked, MPI_ERRORS_RETURN);
  if (right) MPI_Win_fence(0, not_locked);
  if (rank == 0 && !right) MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, not_locked);
  if (rank == 0 && !right) MPI_Win_unlock(1, not_locked);
  if (right) MPI_Win_free(&not_locked);
}

static void locked_all_without_locks(int right) {
  for (int any = 0; any <= right; any++) {
    MPI_Info info = locks(any);
    MPI_Win_set_info(win, info);
    MPI_Info_free(&info);
  }
  if (rank == 0) MPI_Win_lock_all(0, win);
  if (rank == 0) MPI_Win_unlock_all(win);
}

static void posted_and_locked(int right) {
  if (rank) return;
  posts_to_nobody();
  if (right) MPI_Win_wait(win);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Win_unlock(0, win);
  if (!right) MPI_Win_wait(win);
}

static void locked_and_posted(int right) {
  if (rank) return;
  MPI_Win_lock_all(0, win);
  if (right) MPI_Win_unlock_all(win);
  posts_to_nobody();
  MPI_Win_wait(win);
  if (!right) MPI_Win_unlock_all(win);
}

// Rank 1 exposed its memory before, and its exposure epoch is known to have ended, or not.
static void locked_while_exposed(int right) {
  if (rank == 1) posts_to_nobody();
  if (rank == 1) MPI_Win_wait(win);
  if (right) MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  if (rank == 0) MPI_Win_unlock(1, win);
}

static void unlock_alone(int right) {
  if (rank == 0 && right) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
  if (rank == 0) MPI_Win_unlock(1, win);
}

static void unlock_of_another(int right) {
  if (rank) return;
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  MPI_Win_unlock(right ? 1 : 0, win);
  if (!right) MPI_Win_unlock(1, win);
}

static void unlock_all_alone(int right) {
  if (rank == 0 && right) MPI_Win_lock_all(0, win);
  if (rank == 0) MPI_Win_unlock_all(win);
}

static void flush_alone(int right) {
  if (rank == 0 && right) MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  if (rank == 0) MPI_Win_flush(1, win);
  if (rank == 0 && right) MPI_Win_unlock(1, win);
}

static void flush_of_another(int right) {
  if (rank) return;
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  MPI_Win_flush(right ? 1 : 0, win);
  MPI_Win_unlock(1, win);
}

static void sync_alone(int right) {
  if (rank == 0 && right) MPI_Win_lock_all(0, win);
  if (rank == 0) MPI_Win_sync(win);
  if (rank == 0 && right) MPI_Win_unlock_all(win);
}

static void complete_alone(int right) {
  if (rank == 0 && right) opens(1, 0);
  if (rank == 0) MPI_Win_complete(win);
  if (rank == 1 && right) opens(0, 0);
  if (rank == 1 && right) MPI_Win_wait(win);
}

static void wait_alone(int right) {
  if (rank == 0 && right) opens(0, 0);
  if (rank == 0) MPI_Win_wait(win);
  if (rank == 1 && right) opens(1, 0);
  if (rank == 1 && right) MPI_Win_complete(win);
}

static void never_ended(int right) {
  if (rank == 0) MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  if (rank == 0) put(0);
  if (rank == 0 && right) MPI_Win_unlock(1, win);
}

static void freed_in_lock(int right) {
  MPI_Win own;
  int *part;
  MPI_Win_allocate(64, sizeof *part, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &own);
  MPI_Win_set_errhandler(own, MPI_ERRORS_RETURN);
  MPI_Win_lock_all(0, own);
  if (right) MPI_Win_unlock_all(own);
  MPI_Win_free(&own);
}

static void freed_in_fence(int right) {
  MPI_Win own;
  MPI_Errhandler handler;
  int *part;
  MPI_Win_allocate(64, sizeof *part, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &own);
  MPI_Win_get_errhandler(win, &handler);
  MPI_Win_set_errhandler(own, handler);
  MPI_Errhandler_free(&handler);
  MPI_Win_fence(0, own);
  MPI_Put(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, own);
  if (right) MPI_Win_fence(0, own);
  MPI_Win_free(&own);
}

// These files use the functions above.
#include "wrong_assertions.h"
#include "wrong_operations.h"

// Without MPI_Win_post, the process waits in MPI_Win_start or in MPI_Win_complete.
static void start_without_post(int right) {
  if (rank == 0) {
    opens(1, 0);
    put(3);
    MPI_Win_complete(win);
  } else if (right) {
    opens(0, 0);
    MPI_Win_wait(win);
  }
}

static const struct {
  const char *name;
  void (*run)(int right);
} cases[] = {
    {"start_without_post", start_without_post},
#define CASE(NAME)                                                                                 \
  { #NAME, NAME }
    CASE(outside_of_an_epoch),
    CASE(outside_with_a_request),
    CASE(request_in_fence),
    CASE(request_in_start),
    CASE(freed_request),
    CASE(other_target),
    CASE(lock_in_fence),
    CASE(lock_all_in_lock),
    CASE(fence_in_lock_all),
    CASE(start_in_lock),
    CASE(start_in_fence),
    CASE(posted_in_fence),
    CASE(posted_twice),
    CASE(locked_twice),
    CASE(locked_without_locks),
    CASE(locked_all_without_locks),
    CASE(posted_and_locked),
    CASE(locked_and_posted),
    CASE(locked_while_exposed),
    CASE(unlock_alone),
    CASE(unlock_of_another),
    CASE(unlock_all_alone),
    CASE(flush_alone),
    CASE(flush_of_another),
    CASE(sync_alone),
    CASE(complete_alone),
    CASE(wait_alone),
    CASE(never_ended),
    CASE(freed_in_lock),
    CASE(freed_in_fence),
    CASE(nothing_precedes),
    CASE(some_say_that_nothing_precedes),
    CASE(some_say_that_nothing_succeeds),
    CASE(nothing_succeeds),
    CASE(no_put_in_fence),
    CASE(no_put_in_post),
    CASE(no_check_alone),
    CASE(no_check_too_early),
    CASE(no_check_of_locks),
    CASE(gone_buffer),
    CASE(two_of_one_buffer),
    CASE(outside_of_the_window),
    CASE(negative_displacement),
    CASE(not_committed),
    CASE(gone_before_the_wait),
    CASE(put_on_itself),
    CASE(result_on_the_origin),
};

static int is_named(char **words, const char *word) {
  while (*words)
    if (strcmp(*words++, word) == 0) return 1;
  return 0;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (argc > 1 && !is_named(argv + 1, cases[i].name)) continue;
    MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    if (!is_named(argv + 1, "fatal")) MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    cases[i].run(argc == 1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc == 1) MPI_Win_free(&win);
  }
  if (rank == 0) printf("done\n");
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
