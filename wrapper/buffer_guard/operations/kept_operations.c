// SPDX-License-Identifier: MIT
#include "buffer_guard/operations/kept_operations.h"

#include <pthread.h>

#include "abi/mpi_symbols.h"
#include "buffer_guard/budget/skipped_operations.h"
#include "buffer_guard/operations/pending.h"
#include "buffer_guard/platform/lock.h"

// Held while kept operations are tested.
static pthread_mutex_t testing = PTHREAD_MUTEX_INITIALIZER;
// 1 while this thread tests them. Other threads may test, too: `testing` orders them.
static __thread int is_testing __attribute__((tls_model("initial-exec")));

int mpipp_guard_keep_freed_request(struct mpipp_passage *passage) {
  MPI_Request *request = (MPI_Request *)(uintptr_t)passage->call->requests;
  mpipp_guard_lock();
  struct mpipp_guarded_operation *guarded =
      request ? mpipp_guard_find_operation(MPIPP_KEY(*request), 0) : NULL;
  if (request) mpipp_guard_skip_note_free(MPIPP_KEY(*request));
  if (guarded && guarded->state == MPIPP_GUARDED_INACTIVE)
    guarded = NULL; // not started: MPI does not use the alias
  if (guarded && !mpipp_guard_has_other_memory(guarded)) guarded = NULL;
  if (guarded) mpipp_guard_keep(guarded);
  mpipp_guard_unlock();
  if (!guarded) return MPIPP_GO_ON;
  *request = MPI_REQUEST_NULL;
  passage->code = MPI_SUCCESS;
  return MPIPP_DONE;
}

void mpipp_guard_test_kept_requests(int is_last) {
  if (!mpipp_guard_kept_count || is_testing) return;
  is_testing = 1;
  pthread_mutex_lock(&testing);
  struct mpipp_guarded_operation *kept = NULL;
  while ((kept = mpipp_guard_next_kept(kept))) {
    MPI_Request request = (MPI_Request)(uintptr_t)kept->request;
    int flag = 0;
    PMPI(Test)(&request, &flag, MPI_STATUS_IGNORE);
    if ((flag || is_last) && request != MPI_REQUEST_NULL) PMPI(Request_free)(&request);
    if (!flag && !is_last) continue;
    mpipp_guard_lock();
    mpipp_guard_end(kept, NULL);
    mpipp_guard_unlock();
  }
  pthread_mutex_unlock(&testing);
  is_testing = 0;
}

void mpipp_guard_kept_abandon_test(void) {
  if (is_testing) pthread_mutex_unlock(&testing);
  is_testing = 0;
}
