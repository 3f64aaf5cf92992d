// SPDX-License-Identifier: MIT
#include "collective_precheck/nonblocking.h"

#include <pthread.h>
#include <string.h>

#include "abi/mpi_symbols.h"
#include "collective_precheck/fingerprint.h"
#include "recorder/threads/threads.h"
#include "registry/allocator.h"
#include "registry/object_store.h"
#include "registry/registry.h"
#include "watcher_client/collective_mismatch.h"

enum {
  MOST_LOOKS = 16,
  MOST_TESTED = 8, // the number of pending sums tested in one call, oldest first
  MOST_ASKED = 64, // largest number of queries; later only the watcher's comparison finds errors
  REMEMBERED = 16
};

struct mpipp_pending_sum {
  struct mpipp_pending_sum *next;
  uint64_t term, sum, identity; // identity: of the communicator
  uint32_t processes;
  MPI_Request request;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mpipp_pending_sum *oldest, **end = &oldest;
static uint64_t asked = 0, told[REMEMBERED];

void mpipp_precheck_nonblocking_begin(const struct mpipp_passage *passage,
                                      const struct mpipp_shadow *shadow) {
  struct mpipp_position position = {shadow->rank, shadow->size, shadow->inter};
  struct mpipp_terms terms = mpipp_precheck_terms_of(passage->call, position);
  struct mpipp_pending_sum *pending = mpipp_registry_allocate(sizeof *pending);
  // Without memory this process takes no part in the sum. In that case the sum stays incomplete in
  // the other processes, and later sums do not match: the watcher decides.
  if (!pending) return;
  pending->next = NULL;
  pending->identity = shadow->identity;
  pending->processes = (uint32_t)shadow->size;
  pending->term = mpipp_fold_terms(terms);
  if (PMPI(Iallreduce)(&pending->term, &pending->sum, 1, MPI_UINT64_T, MPI_SUM, shadow->comm,
                       &pending->request) != MPI_SUCCESS) {
    mpipp_registry_free(pending);
    return;
  }
  pthread_mutex_lock(&lock);
  *end = pending;
  end = &pending->next;
  pthread_mutex_unlock(&lock);
}

// Returns a number for the sum if it shows a disagreement that is new on its communicator; else 0.
static uint64_t new_number(const struct mpipp_pending_sum *pending) {
  uint64_t key =
      mpipp_mix(mpipp_mix(pending->sum, pending->identity), mpipp_precheck_shadows_number);
  uint64_t *known = &told[key % REMEMBERED];
  if (!pending->sum || *known == key || asked >= MOST_ASKED) return 0;
  *known = key;
  asked++;
  return key;
}

// Removes sums that have arrived from the list, up to the first disagreement, which is stored in
// `found`.
static void find_disagreeing(struct mpipp_disagreeing *found) {
  struct mpipp_pending_sum **at = &oldest, *pending;
  for (int i = 0; i < MOST_TESTED && (pending = *at) && !found->number; i++) {
    int done = 0;
    if (PMPI(Test)(&pending->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      done = 1, pending->sum = 0;
    if (!done) {
      at = &pending->next;
      continue;
    }
    if (!(*at = pending->next)) end = at;
    found->number = new_number(pending);
    found->identity = pending->identity;
    found->processes = pending->processes;
    mpipp_registry_free(pending);
  }
}

int mpipp_precheck_nonblocking_is_pending(void) {
  return MPIPP_READ(oldest) != NULL;
}

int mpipp_precheck_test_pending_sums(int has_completed) {
  if (!MPIPP_READ(oldest) || pthread_mutex_trylock(&lock)) return 0;
  struct mpipp_disagreeing found = {.pid = mpipp_registry.pid, .tid = mpipp_recorder_self->tid};
  // If an operation has completed, its sum has arrived, or is about to.
  for (int i = 0; i < (has_completed ? MOST_LOOKS : 1) && oldest && !found.number; i++)
    find_disagreeing(&found);
  pthread_mutex_unlock(&lock);
  return found.number && mpipp_watcher_ask_to_compare(&found);
}
