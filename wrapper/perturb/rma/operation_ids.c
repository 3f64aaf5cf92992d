// SPDX-License-Identifier: MIT
#include "perturb/rma/operation_ids.h"

#include <stdlib.h>
#include <string.h>

#include "generated/facts.h"
#include "recorder/ledger/ledger.h"
#include "registry/registry.h"

enum { MOST_PLACES = 4096 };

struct mpipp_meant {
  struct mpipp_meant *next;
  unsigned long rank, place, first, last;
};
static struct mpipp_meant *meant;
static int are_some;

struct mpipp_identities_place {
  uint64_t key;
  uint32_t times;
};
struct mpipp_places {
  struct mpipp_identities_place *all;
  uint32_t count;
};
static struct mpipp_places operations, others;

// The last get that was identified, for the comparison with the next one.
static struct {
  uint64_t win, addresses[2], types[2];
  int64_t target, counts[2];
  struct mpipp_identity identity;
} polled;

void mpipp_perturb_identities_open(const char *text) {
  const char *at = strstr(text, ",only=");
  are_some = at != NULL;
  for (at = at ? at + strlen(",only=") : NULL; at && *at && *at != ',';) {
    struct mpipp_meant *one = calloc(1, sizeof *one);
    char *end;
    if (!one) return;
    one->rank = strtoul(at, &end, 10);
    one->place = strtoul(end + (*end == ':'), &end, 10);
    one->last = (unsigned long)UINT32_MAX; // without times all operations of the place are meant
    if (*end == '.') one->first = one->last = strtoul(end + 1, &end, 10);
    if (*end == '-') one->last = strtoul(end + 1, &end, 10);
    one->next = meant;
    meant = one;
    if (*end != '+') return;
    at = end + 1;
  }
}

static struct mpipp_identity next_at(struct mpipp_places *places, uint64_t key) {
  uint32_t i = 0;
  while (i < places->count && places->all[i].key != key) i++;
  if (!places->all) places->all = calloc(MOST_PLACES, sizeof *places->all);
  if (!places->all || i == MOST_PLACES) return (struct mpipp_identity){0, 0};
  if (i == places->count) places->all[places->count++].key = key;
  return (struct mpipp_identity){i + 1, ++places->all[i].times};
}

static int repeats_last(const struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  int same = polled.identity.time && polled.win == call->win && polled.target == call->target_rank;
  for (int i = 0; same && i < 2; i++)
    same = polled.addresses[i] == passage->addresses[i] &&
           polled.types[i] == call->buffers[i].datatype &&
           polled.counts[i] == call->buffers[i].count;
  return same;
}

struct mpipp_identity mpipp_perturb_identify(const struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  int polls = mpipp_facts[call->procedure].operation == MPIPP_PROC_Get &&
              !(call->present & MPIPP_HAS_REQUESTS);
  if (polls && repeats_last(passage)) return polled.identity;
  struct mpipp_identity found = next_at(&operations, mpipp_recorder_place(call));
  mpipp_perturb_identities_separate();
  if (!polls) return found;
  polled.win = call->win;
  polled.target = call->target_rank;
  for (int i = 0; i < 2; i++) {
    polled.addresses[i] = passage->addresses[i];
    polled.types[i] = call->buffers[i].datatype;
    polled.counts[i] = call->buffers[i].count;
  }
  polled.identity = found;
  return found;
}

struct mpipp_identity mpipp_perturb_identify_call(const struct mpipp_call *call) {
  struct mpipp_identity found = next_at(&others, mpipp_recorder_place(call));
  found.place += MOST_PLACES; // separate numbers, so that the random choices differ from those of
                              // operations
  return found;
}

void mpipp_perturb_identities_separate(void) {
  polled.identity.time = 0;
}

int mpipp_perturb_is_selected(struct mpipp_identity identity) {
  if (!are_some) return 1;
  for (const struct mpipp_meant *one = meant; one; one = one->next)
    if (one->rank == (unsigned long)mpipp_registry.world_rank && one->place == identity.place &&
        one->first <= identity.time && identity.time <= one->last)
      return 1;
  return 0;
}
