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
  MOST_TESTED = 8, // at a time: the oldest
  MOST_ASKED = 64, // later ones are found by the comparison each second
  REMEMBERED = 16
};

struct mpipp_later {
  struct mpipp_later *next;
  uint64_t term, sum, identity; // the last: the communicator's
  uint32_t processes;
  MPI_Request request;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mpipp_later *oldest, **end = &oldest;
static uint64_t asked = 0, told[REMEMBERED];

void mpipp_precheck_later_begin(const struct mpipp_passage *passage,
                                const struct mpipp_shadow *shadow) {
  struct mpipp_position position = {shadow->rank, shadow->size, shadow->inter};
  struct mpipp_terms terms = mpipp_precheck_terms_of(passage->call, position);
  struct mpipp_later *later = mpipp_registry_allocate(sizeof *later);
  // Whoever has no room for it leaves the others' sums unfinished, and later ones unequal: the
  // watcher decides.
  if (!later) return;
  later->next = NULL;
  later->identity = shadow->identity;
  later->processes = (uint32_t)shadow->size;
  later->term = mpipp_one_word(terms);
  if (PMPI(Iallreduce)(&later->term, &later->sum, 1, MPI_UINT64_T, MPI_SUM, shadow->comm,
                       &later->request) != MPI_SUCCESS) {
    mpipp_registry_free(later);
    return;
  }
  pthread_mutex_lock(&lock);
  *end = later;
  end = &later->next;
  pthread_mutex_unlock(&lock);
}

// Whether it is there, on its communicator, for the first time; its number then, else 0.
static uint64_t new_number(const struct mpipp_later *later) {
  uint64_t key =
      mpipp_mixed(mpipp_mixed(later->sum, later->identity), mpipp_precheck_shadows_number);
  uint64_t *known = &told[key % REMEMBERED];
  if (!later->sum || *known == key || asked >= MOST_ASKED) return 0;
  *known = key;
  asked++;
  return key;
}

// Takes those that are there out of the list, up to the first that is new: that is `found`, with
// its number.
static void find_disagreeing(struct mpipp_disagreeing *found) {
  struct mpipp_later **at = &oldest, *later;
  for (int i = 0; i < MOST_TESTED && (later = *at) && !found->number; i++) {
    int done = 0;
    if (PMPI(Test)(&later->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      done = 1, later->sum = 0;
    if (!done) {
      at = &later->next;
      continue;
    }
    if (!(*at = later->next)) end = at;
    found->number = new_number(later);
    found->identity = later->identity;
    found->processes = later->processes;
    mpipp_registry_free(later);
  }
}

int mpipp_precheck_later_is_pending(void) {
  return MPIPP_READ(oldest) != NULL;
}

int mpipp_precheck_later_look(int has_completed) {
  if (!MPIPP_READ(oldest) || pthread_mutex_trylock(&lock)) return 0;
  struct mpipp_disagreeing found = {.pid = mpipp_registry.pid, .tid = mpipp_recorder_self->tid};
  // The sums are as far as what has completed, or soon will be.
  for (int i = 0; i < (has_completed ? MOST_LOOKS : 1) && oldest && !found.number; i++)
    find_disagreeing(&found);
  pthread_mutex_unlock(&lock);
  return found.number && mpipp_watcher_ask_to_compare(&found);
}
